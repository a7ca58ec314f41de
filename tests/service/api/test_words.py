"""The contract has one word for each thing, and one spelling of an actor."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from service.api.http.context import contract_of
from service.capabilities.agents.tools.table import listed
from tests.service.api.contract_file import CONTRACT, quiet_app

Json = dict[str, Any]

MATCH_ID = "#/components/schemas/MatchId"
ONE_WORD = {"number": "version", "finished": "ended"}

# Parties that are named in a text. A seat alone is a number, in `seat`, `seats` and lists by seat.
PARTIES = (
    "actor",
    "actors",
    "audience",
    "caller",
    "holder",
    "viewer",
    "waiting",
    "waiting_for",
    "who",
)

# Digests cover this view, so its form stays.
DIGESTED = {("CalimalaView", "actors")}


def named(value: Any, place: str = "") -> Iterator[tuple[str, str, Json]]:
    """Yield each property and parameter in a document: place, name and schema."""
    if isinstance(value, list):
        for member in value:
            yield from named(member, place)
    if not isinstance(value, dict):
        return

    if isinstance(value.get("in"), str) and "schema" in value:
        yield place, value["name"], value["schema"]
    properties = value.get("properties", {})
    if all(isinstance(schema, dict) for schema in properties.values()):
        yield from ((place, name, schema) for name, schema in properties.items())
    for name, member in value.items():
        # Examples hold values, and values may have any name.
        if name not in ("example", "examples"):
            inner = name if place in ("schemas", "paths") else place
            yield from named(member, name if name in ("schemas", "paths") else inner)


NAMED = list(named(yaml.load(CONTRACT.read_text(), Loader=yaml.CSafeLoader)))
for tool in listed(contract_of(quiet_app())):
    NAMED += named([tool["inputSchema"], tool["outputSchema"]], f"tool {tool['name']}")


def texts(value: Any) -> Iterator[str]:
    """Yield all texts in a schema, such as descriptions and choices."""
    if isinstance(value, dict):
        for member in value.values():
            yield from texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from texts(member)
    elif isinstance(value, str):
        yield value


def test_the_walk_finds_properties_and_parameters() -> None:
    """The walk finds known names. Otherwise the tests of names would prove nothing."""
    names = {(place, name) for place, name, _ in NAMED}

    assert ("MatchSummary", "match") in names
    assert ("CalimalaView", "actors") in names
    assert ("/v1/matches/{match}/state", "version") in names
    assert ("tool view", "waiting_for") in names


@pytest.mark.parametrize("word", ONE_WORD)
def test_a_thing_has_one_name(word: str) -> None:
    """No property or parameter has a name that ONE_WORD replaces."""
    assert [place for place, name, _ in NAMED if name == word] == [], f"say {ONE_WORD[word]}"


def test_an_ended_match_is_called_ended() -> None:
    """No choice and no sentence calls an ended match finished."""
    faults = [
        (place, name)
        for place, name, schema in NAMED
        if any(re.search(r"\bfinished\b", text) for text in texts(schema))
    ]
    assert faults == []


def test_the_id_of_a_match_is_called_match() -> None:
    """Links between matches have names of their own, and `match` is always an id."""
    ids = {name for _, name, schema in NAMED if schema.get("$ref") == MATCH_ID}
    assert ids == {"match", "rematch", "rematch_of"}

    others = [place for place, name, schema in NAMED if name == "match" and not is_text(schema)]
    assert others == []


def is_text(schema: Json) -> bool:
    """Return True for the id of a match, or its text in a stored event."""
    return schema.get("$ref") == MATCH_ID or schema.get("type") == "string"


def test_parties_are_named_and_never_numbered() -> None:
    """`seat:0`, `house`, `owner`, `public`: an actor is no number, and -1 is nobody."""
    names = {
        (place, name) for place, name, schema in NAMED if name in PARTIES and has_numbers(schema)
    }
    assert names == DIGESTED

    minus_one = {
        (place, name)
        for place, name, schema in NAMED
        if any(re.search(r"\[-1\]|-1: the house", text) for text in texts(schema))
    }
    assert minus_one == DIGESTED


def has_numbers(schema: Json) -> bool:
    """Return True for a schema of whole numbers, or lists of them."""
    kinds = [schema.get("type"), schema.get("items", {}).get("type")]
    return any("integer" in (kind if isinstance(kind, list) else [kind]) for kind in kinds)


@pytest.mark.parametrize("name", ["actor", "holder"])
def test_a_party_has_one_form(name: str) -> None:
    """All schemas of a party have the same form, except commands and events of the lobby."""
    schemas = [
        schema for place, one, schema in NAMED if one == name and not place.startswith("Lobby")
    ]
    form = f"#/components/schemas/{name.title()}"
    assert schemas
    assert [one for one in schemas if one.get("$ref") != form and "pattern" not in one] == []


def test_answers_about_a_match_share_their_members() -> None:
    """A name means the same in a match, in lists, in states and in news. It may be null in some."""
    kinds: dict[str, set[frozenset[str]]] = {}
    for place, name, schema in NAMED:
        if place in ("CalimalaMatch", "MatchSummary", "PlayedMatch", "CalimalaState", "MatchNews"):
            kinds.setdefault(name, set()).add(frozenset(kinds_of(schema)))

    assert len(kinds) > 20
    assert {name: types for name, types in kinds.items() if len(types) > 1} == {}


def kinds_of(schema: Json) -> set[str]:
    """Return the types and components that a schema allows, without null."""
    if "anyOf" in schema:
        return set().union(*map(kinds_of, schema["anyOf"]))
    if "$ref" in schema:
        return {schema["$ref"]}
    kind = schema["type"]
    return set(kind if isinstance(kind, list) else [kind]) - {"null"}
