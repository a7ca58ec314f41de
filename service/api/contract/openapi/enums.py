"""Choices that stand in many schemas, made components of their own with a name.

A generator then makes one type of a choice, such as `CalimalaColour`, and not one for each field.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from domain.wire import Named
from service.api.contract.schemas.base import camel
from service.journal.values import STATUSES
from service.matches import levels

Json = dict[str, Any]
Words = tuple[str, ...]


class _Component(NamedTuple):
    name: str
    description: str


# The service's own choices.
_SERVICE: dict[Words, _Component] = {
    STATUSES: _Component("MatchStatus", "Where a match stands."),
    levels.NAMES: _Component("BotLevel", "How a bot chooses its moves."),
    ("public", "private"): _Component(
        "Visibility", "Who may see a match: anybody, or the bearers of its tokens."
    ),
    ("human", "bot", "open"): _Component("SeatKind", "Who holds a seat."),
}


def name_enums(schemas: dict[str, Json]) -> dict[str, Json]:
    """Return the schemas with references to each known choice that stands in several places."""
    known = _known_choices(schemas)
    uses = Counter(words for words in _choices_in(schemas) if words in known)
    shared = {words: known[words] for words, count in uses.items() if count > 1}

    named: dict[str, Json] = {}
    for name, schema in schemas.items():
        is_itself_a_choice = bool(_words(schema))
        if is_itself_a_choice:
            named[name] = schema
        else:
            named[name] = _with_references(schema, shared)

    for words, (name, description) in shared.items():
        component = {
            "type": "string",
            "enum": list(words),
            "description": description,
        }
        kept = named.setdefault(name, component)
        assert kept["enum"] == list(words), f"two choices are called {name}"
    return named


def _known_choices(schemas: dict[str, Json]) -> dict[Words, _Component]:
    """Return every choice that has a name: the service's, the games' enumerations, components."""
    known = dict(_SERVICE)

    for enumeration in _enumerations(Named):
        words = tuple(member.wire for member in enumeration)
        _, game, *_ = enumeration.__module__.split(".")
        component = _Component(
            name=f"{camel(game)}{enumeration.__name__}",
            description=" ".join((enumeration.__doc__ or "").split()),
        )
        known.setdefault(words, component)

    for name, schema in schemas.items():
        words = _words(schema)
        if words:
            known[words] = _Component(name, schema.get("description", ""))
    return known


def _enumerations(base: type[Named]) -> Iterator[type[Named]]:
    for enumeration in base.__subclasses__():
        yield enumeration
        yield from _enumerations(enumeration)


def _words(schema: Any) -> Words:
    """Return the choices of a schema that has more than one word to choose from, else ().

    "null" is no word.
    """
    if not isinstance(schema, dict) or not isinstance(schema.get("enum"), list):
        return ()
    words = tuple(word for word in schema["enum"] if isinstance(word, str))
    return words if len(words) > 1 else ()


def _choices_in(value: Any) -> Iterator[Words]:
    words = _words(value)
    if words:
        yield words
        return

    members: Any = ()
    if isinstance(value, dict):
        members = value.values()
    elif isinstance(value, list):
        members = value
    for member in members:
        yield from _choices_in(member)


def _with_references(value: Any, shared: dict[Words, _Component]) -> Any:
    words = _words(value)
    if words in shared:
        return _reference(value, shared[words].name)
    if isinstance(value, dict):
        return {name: _with_references(member, shared) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_references(member, shared) for member in value]
    return value


def _reference(schema: Json, name: str) -> Json:
    """Return a reference in place of a choice, with its description and its default.

    It may be null if the choice may.
    """
    target = {"$ref": f"#/components/schemas/{name}"}
    kept = {key: value for key, value in schema.items() if key in ("description", "default")}
    nullable = None in schema["enum"] or "null" in schema.get("type", ())
    if nullable:
        return {"anyOf": [target, {"type": "null"}], **kept}
    return {**target, **kept}
