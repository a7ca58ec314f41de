"""The parts of the contract: whole documents, small, and linked for their readers."""

from typing import Any

import jsonschema_rs
import pytest
import yaml
from flask import Flask
from openapi_spec_validator import validate

from domain.games import GAMES, RULES
from service.api.contract.document import document
from service.api.contract.operations import operation_of
from service.api.contract.parts import CORE, parts
from service.api.contract.yaml_text import yaml_text
from tests import toy
from tests.service.api.conftest import json
from tests.service.api.contract_file import quiet_app

Json = dict[str, Any]

LARGEST_CORE = 60_000  # bytes
TO_PLAY = {"openMatch", "joinMatch", "getState", "getMoves", "makeMove", "streamMatch", "getRecord"}

QUIET = quiet_app()
PARTS = parts(QUIET)
EveryPart = pytest.mark.parametrize("name", PARTS)


@pytest.fixture(scope="module")
def documents() -> dict[str, Json]:
    """Every part as it is served, by name."""
    client = QUIET.test_client()
    return {name: json(client.get(f"/openapi/{name}.json")) for name in PARTS}


def operations_in(part: Json) -> list[str]:
    """Return the names of all operations of a document."""
    return [
        operation["operationId"] for path in part["paths"].values() for operation in path.values()
    ]


def core_with(games: list[str], monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Return the core of a service with only some of the registered games."""
    with monkeypatch.context() as patched:
        for key in set(GAMES) - set(games):
            patched.delitem(GAMES, key)
        for rules in [rules for rules, game in RULES.items() if game.key not in games]:
            patched.delitem(RULES, rules)
        app = quiet_app()
        return yaml_text(document(app, parts(app)[CORE])).encode()


def test_a_further_game_adds_nothing_to_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """The core is the same with one game, two and three."""
    toy.install(monkeypatch)
    keys = list(GAMES)
    assert len(keys) == 3

    cores = {core_with(keys[:number], monkeypatch) for number in (1, 2, 3)}
    assert len(cores) == 1


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_the_core_is_small(form: str) -> None:
    """People and models read the core before the first request."""
    answer = QUIET.test_client().get(f"/openapi/{CORE}.{form}")
    assert len(answer.data) < LARGEST_CORE


def test_the_core_plays(documents: dict[str, Json]) -> None:
    """The core has the operations a program needs from the opening to the record."""
    assert set(operations_in(documents[CORE])) >= TO_PLAY


def test_each_operation_is_in_the_core_or_in_one_area(documents: dict[str, Json]) -> None:
    """The document of a game repeats the operations of the core."""
    of_games = {f"games/{key}" for key in GAMES}
    in_general = [
        name
        for part in documents
        if part not in of_games
        for name in operations_in(documents[part])
    ]
    views = [operation_of(view) for view in QUIET.view_functions.values()]
    assert sorted(in_general) == sorted(one.name for one in views if one is not None)

    for part in of_games:
        assert operations_in(documents[part]) == operations_in(documents[CORE])


@pytest.mark.whole
@EveryPart
def test_each_part_is_a_whole_document(name: str, documents: dict[str, Json]) -> None:
    """Each part is valid, uses all its components, and links only to its own operations."""
    part = documents[name]
    validate(part)

    components = {
        f"#/components/{kind}/{component}"
        for kind, by_name in part["components"].items()
        for component in by_name
        if kind != "securitySchemes"
    }
    text = yaml_text(part)
    for place in components:
        assert place in text, place

    operations = set(operations_in(part))
    for path in part["paths"].values():
        for operation in path.values():
            for answer in operation["responses"].values():
                for link in answer.get("links", {}).values():
                    assert link["operationId"] in operations


@EveryPart
def test_each_part_is_served_in_both_forms(name: str, documents: dict[str, Json]) -> None:
    """The YAML and the JSON of a part say the same."""
    answer = QUIET.test_client().get(f"/openapi/{name}.yaml")
    assert answer.mimetype == "application/yaml"
    assert yaml.load(answer.data, Loader=yaml.CSafeLoader) == documents[name]


@EveryPart
def test_examples_of_a_part_fit_its_schemas(name: str, documents: dict[str, Json]) -> None:
    """Examples of another game would not fit the schemas of a part."""
    part = documents[name]
    for body in bodies_in(part):
        for item in body.get("examples", {}).values():
            reference = item.get("$ref", "").rpartition("/")[2]
            example = part["components"]["examples"][reference] if reference else item
            schema = {**body["schema"], "components": part["components"]}
            validator = jsonschema_rs.Draft202012Validator(schema)
            faults = [error.message for error in validator.iter_errors(example["value"])]
            assert faults == [], example


def bodies_in(part: Json) -> list[Json]:
    """Return the description of each body in a document."""
    operations = [operation for path in part["paths"].values() for operation in path.values()]
    carriers = [
        *(operation.get("requestBody", {}) for operation in operations),
        *(answer for operation in operations for answer in operation["responses"].values()),
        *part["components"]["responses"].values(),
    ]
    return [body for carrier in carriers for body in carrier.get("content", {}).values()]


def test_the_document_of_a_game_has_its_types_alone(documents: dict[str, Json]) -> None:
    """No schema of a game is named after another one, so a generated client has no type of it."""
    for key, game in GAMES.items():
        schemas = documents[f"games/{key}"]["components"]["schemas"]
        assert f"Open{key.capitalize()}Match" in schemas
        for other in set(GAMES) - {key}:
            assert not [name for name in schemas if other.capitalize() in name]
        assert game.title in documents[f"games/{key}"]["info"]["title"]


def test_an_unknown_part_is_refused_with_those_that_there_are() -> None:
    answer = QUIET.test_client().get("/openapi/chess.yaml")
    assert answer.status_code == 404
    assert CORE in json(answer)["detail"]


@pytest.mark.parametrize("path", ["/docs", "/llms.txt"])
def test_each_part_is_linked(path: str) -> None:
    """The starting points of people and of models link to each part."""
    text = QUIET.test_client().get(path).text
    for name in PARTS:
        assert f"/openapi/{name}.yaml" in text, name


def test_the_root_links_the_core() -> None:
    answer: Any = QUIET.test_client().get("/v1")
    assert json(answer)["links"]["core"] == f"/openapi/{CORE}.json"


def test_a_service_without_a_capability_has_a_smaller_contract() -> None:
    """An area without mounted operations has no document."""
    bare = Flask("bare")
    assert set(parts(bare)) == {CORE, *(f"games/{key}" for key in GAMES)}
