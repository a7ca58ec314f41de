"""Every default and every example that openapi.yaml tells is right by the schema that it stands beside."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
import yaml
from flask import Flask

from service.api.contract.openapi.short import shortened
from tests.service.api.conftest import json
from tests.service.api.contract_file import CONTRACT, quiet_app

Json = dict[str, Any]
Place = tuple[str, ...]

LARGEST = 250 * 1024  # bytes of openapi.yaml
SCHEMAS = (
    "properties",
    "patternProperties",
    "schemas",
)  # members whose members are schemas by name


@pytest.fixture(scope="module")
def spec() -> Json:
    """The contract as the file tells it."""
    loaded: Json = yaml.load(CONTRACT.read_text(), Loader=yaml.CSafeLoader)
    return loaded


@pytest.fixture(scope="module")
def quiet() -> Flask:
    return quiet_app()


def walk(value: Any, place: Place = ()) -> Iterator[tuple[Place, Json]]:
    """Yield every object of a document with its place, but none inside of an example."""
    if isinstance(value, dict):
        yield place, value
        for name, inner in value.items():
            names = bool(place) and place[-1] in SCHEMAS
            if names or name not in ("example", "examples", "default"):
                yield from walk(inner, (*place, str(name)))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from walk(inner, (*place, str(number)))


def resolved(spec: Json, value: Json) -> Json:
    """Return what a reference refers to, and anything else as it is."""
    return (
        spec["components"]["examples"][value["$ref"].rpartition("/")[2]]
        if "$ref" in value
        else value
    )


def wrong(spec: Json, schema: Any, value: Any) -> list[str]:
    """Return what is wrong with a value by a schema of the contract."""
    whole = {**schema, "components": spec["components"]}
    validator = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
    return [error.message[:200] for error in validator.iter_errors(value)]


def test_every_default_is_right(spec: Json) -> None:
    """Generated clients send the defaults that they are told: a false one makes them fail."""
    found = 0
    for place, schema in walk(spec):
        if "default" in schema and place[-1] not in SCHEMAS:
            found += 1
            rest = {name: inner for name, inner in schema.items() if name != "default"}
            assert not wrong(spec, rest, schema["default"]), "/".join(place)
    assert found > 5


def test_every_example_is_right(spec: Json) -> None:
    """Whatever is shown can be sent, or may be answered: of bodies, parameters, headers and schemas."""
    found = 0
    for place, one in walk(spec):
        if place and place[-1] in SCHEMAS:
            continue
        schema = one.get("schema", one)
        named = one.get("examples", {}) if "schema" in one else {}
        shown = [resolved(spec, example)["value"] for example in named.values()]
        if "example" in one:
            shown.append(one["example"])
        for example in shown:
            found += 1
            assert not wrong(spec, schema, example), "/".join(place)
    assert found > 60


def test_every_operation_has_one_good_example(spec: Json) -> None:
    """Each body that is sent or answered is shown at least once, and problems once for all operations."""
    for path, methods in spec["paths"].items():
        for method, one in methods.items():
            told = [one.get("requestBody", {}), *one["responses"].values()]
            for content in [
                kinds for answer in told for kinds in answer.get("content", {}).values()
            ]:
                assert 1 <= len(content["examples"]) <= 3, f"{method} {path}"
    for name, response in spec["components"]["responses"].items():
        for content in response.get("content", {}).values():
            assert len(content["examples"]) == 1, name


def test_the_contract_is_small(spec: Json) -> None:
    """It is read by people and by models: what operations share stands once, choices have names."""
    assert len(CONTRACT.read_bytes()) < LARGEST
    problems = [
        response
        for methods in spec["paths"].values()
        for one in methods.values()
        for status, response in one["responses"].items()
        if int(status) >= 400
    ]
    assert (
        len([one for one in problems if "$ref" not in one]) == 1
    )  # readiness, which has its own 503
    schemas = spec["components"]["schemas"]
    named = {
        tuple(schema["enum"]) for schema in schemas.values() if len(schema.get("enum", ())) > 1
    }
    assert len(named) > 15
    for place, schema in walk(schemas):
        if len(place) > 1 and place[-1] not in SCHEMAS:
            assert tuple(schema.get("enum", ())) not in named, "/".join(place)


def test_tags_are_described(spec: Json) -> None:
    """Every group of operations says what it is for."""
    used = {
        tag for methods in spec["paths"].values() for one in methods.values() for tag in one["tags"]
    }
    assert {tag["name"] for tag in spec["tags"] if tag["description"]} == used


def test_lines_and_events_say_what_they_hold(spec: Json) -> None:
    """What is a string to OpenAPI 3.1 names the schema of its items."""
    held = {
        (one["operationId"], kind): content["x-itemSchema"]
        for methods in spec["paths"].values()
        for one in methods.values()
        for told in (one.get("requestBody", {}), *one["responses"].values())
        for kind, content in told.get("content", {}).items()
        if kind in ("application/x-ndjson", "text/event-stream")
    }
    assert {operation for operation, _ in held} == {
        "listCommits",
        "getRecord",
        "importRecord",
        "streamMatch",
    }
    for item in held.values():
        referred = item.get("$ref") or item["properties"]["data"]["contentSchema"]["$ref"]
        assert referred.rpartition("/")[2] in spec["components"]["schemas"]


def test_the_contract_is_served_in_every_form(quiet: Flask, spec: Json) -> None:
    """JSON and YAML say the same, the short form says the same about every value; each bears its media type."""
    client = quiet.test_client()
    as_yaml, short = client.get("/openapi.yaml"), client.get("/openapi.min.json")
    assert as_yaml.mimetype == "application/yaml"
    assert as_yaml.data == CONTRACT.read_bytes()
    assert json(client.get("/openapi.json")) == spec
    assert json(short) == shortened(spec)
    assert len(short.data) < len(client.get("/openapi.json").data) * 0.8


def test_the_short_form_checks_the_same(spec: Json) -> None:
    """Nothing but words is left out of it: schemas are the same without their words."""
    short = shortened(spec)
    assert set(short["paths"]) == set(spec["paths"])
    assert set(short["components"]["schemas"]) == set(spec["components"]["schemas"])
    for name, schema in spec["components"]["schemas"].items():
        kept = short["components"]["schemas"][name]
        assert set(kept.get("properties", {})) == set(schema.get("properties", {})), name
        assert kept.get("required") == schema.get("required"), name
    words = {"summary", "description", "example", "examples"}
    for place, one in walk(short):
        if place and place[-1] not in SCHEMAS and place != ("info",):
            left = {name for name in words & set(one) if one[name] != ""}
            assert not left, "/".join(place)


def test_language_models_are_told_where_to_begin(quiet: Flask) -> None:
    """/llms.txt is short, in the form of llmstxt.org, and every link in it leads somewhere."""
    answer = quiet.test_client().get("/llms.txt")
    assert answer.mimetype == "text/plain"
    assert answer.text.startswith("# Giornale\n\n> ")
    assert len(answer.text) < 4000
    targets = [part.partition(")")[0] for part in answer.text.split("](")[1:]]
    assert len(targets) > 6
    for target in targets:
        assert quiet.test_client().get(target).status_code == 200, target


def test_moves_and_commands_are_told_apart(spec: Json) -> None:
    """Their names end with what they are, and moves alone have no seat."""
    schemas = spec["components"]["schemas"]
    for union in (
        "CalimalaMove",
        "FirenzeMove",
        "Calimala1Command",
        "Firenze1Command",
        "LobbyCommand",
    ):
        family = "Move" if union.endswith("Move") else "Command"
        for target in schemas[union]["discriminator"]["mapping"].values():
            name = target.rpartition("/")[2]
            assert name.endswith(family)
            assert "seat" not in schemas[name]["properties"] or family == "Command"
