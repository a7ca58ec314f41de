"""The contract: equal to the code, complete, valid by its own schemas, with real examples."""

import re
from collections.abc import Iterator
from re import _parser as re_parser
from typing import Any

import jsonschema_rs
import pytest
import yaml
from flask import Flask

from domain.games import GAMES
from service.api.contract import examples
from service.api.contract.operations import OF_ANY_OPERATION, operation_of
from service.api.contract.parameters import MOST_ON_A_PAGE
from service.api.http.context import contract_of
from service.api.links import MCP
from service.api.page.assets import tree
from service.api.page.joining import joined_path
from service.api.problems import KINDS
from service.capabilities.agents.tools.table import TOOLS, listed
from service.matches.bots import LEVELS
from tests.service.api.conftest import json
from tests.service.api.contract_file import CONTRACT, contract, quiet_app
from tests.service.api.recording import record


def test_the_file_equals_the_contract_in_the_code() -> None:
    """If this fails, `make openapi` writes openapi.yaml from the code."""
    assert CONTRACT.read_text() == contract()


def test_the_examples_equal_real_answers(quiet: Flask) -> None:
    """Requests and answers recorded again equal the stored examples."""
    assert record(quiet_app()) == examples.recorded()


# The files of the log. C2SP tlog-tiles specifies their form and addresses.
TOLD_BY_C2SP = {
    "/v1/log/checkpoint",
    "/v1/log/cosigned",
    "/v1/log/tile/<int:level>/<path:path>",
    "/v1/log/tile/entries/<path:path>",
}


def test_every_route_is_in_the_contract(quiet: Flask) -> None:
    """Every route under /v1 is in the contract, except the routes specified by C2SP."""
    untold = set()
    for rule in quiet.url_map.iter_rules():
        view = quiet.view_functions[rule.endpoint]
        if rule.rule.startswith("/v1/") and operation_of(view) is None:
            untold.add(rule.rule)
    assert untold == TOLD_BY_C2SP


def test_the_documentation_runs_its_search_and_nothing_else(quiet: Flask) -> None:
    """The one script of a page is a file of this service, and nothing is loaded from elsewhere."""
    answer = quiet.test_client().get("/docs/matches")

    scripts = re.findall(r"<script[^>]*>.*?</script>", answer.text, re.DOTALL)
    address = tree().address(joined_path("docs/search.js"))
    assert scripts == [f'<script type="module" src="{address}"></script>']
    assert "script-src 'self';" in answer.headers["Content-Security-Policy"]
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert not re.search(r'(?:src|href)="https?:', answer.text)
    assert '<a href="#openMatch">' in answer.text


@pytest.mark.parametrize("path", ["/problems", "/problems/stale-version", "/rules", "/rules/match"])
def test_pages_need_no_network(quiet: Flask, path: str) -> None:
    """Pages load nothing from elsewhere and run no script."""
    answer = quiet.test_client().get(path)

    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "<script" not in answer.text
    assert "http://" not in answer.text
    assert "https://" not in answer.text


Json = dict[str, Any]
Place = tuple[str, ...]

# Limit of openapi.yaml in bytes, with its operations and the descriptions of the games.
LARGEST = 200_000 * len(GAMES)
MOST_EXAMPLES = 1 + len(GAMES)  # a match of each game, and one by invitation

# Each of these members maps names to schemas.
SCHEMAS = ("properties", "patternProperties", "schemas")

JSON = "application/json"
NDJSON = "application/x-ndjson"
EVENT_STREAM = "text/event-stream"


@pytest.fixture(scope="module")
def spec() -> Json:
    """The contract parsed from openapi.yaml."""
    loaded: Json = yaml.load(CONTRACT.read_text(), Loader=yaml.CSafeLoader)
    return loaded


@pytest.fixture(scope="module")
def quiet() -> Flask:
    return quiet_app()


# ---- ways through the document -------------------------------------------------------------------


def objects_in(value: Any, place: Place = ()) -> Iterator[tuple[Place, Json]]:
    """Yield every object of a document with its path of keys, except in examples and defaults."""
    if isinstance(value, dict):
        yield place, value
        keys_are_names = bool(place) and place[-1] in SCHEMAS
        for key, member in value.items():
            if keys_are_names or key not in ("example", "examples", "default"):
                yield from objects_in(member, (*place, str(key)))

    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from objects_in(member, (*place, str(number)))


def holds_schemas(place: Place) -> bool:
    """Return True if an object holds schemas by name, and is none itself."""
    return bool(place) and place[-1] in SCHEMAS


def operations_in(spec: Json) -> Iterator[tuple[str, Json]]:
    """Yield every operation with a name for messages, such as "get /v1/games"."""
    for path, methods in spec["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def bodies_of(operation: Json) -> Iterator[tuple[str, Json]]:
    """Yield the media type and the description of every body an operation takes or answers."""
    carriers = [operation.get("requestBody", {}), *operation["responses"].values()]
    for carrier in carriers:
        yield from carrier.get("content", {}).items()


def last_part(reference: str) -> str:
    """Return the name of the component a reference leads to."""
    _, _, name = reference.rpartition("/")
    return name


def resolved(spec: Json, example: Json) -> Json:
    """Return the target of an example that is a reference, and any other example unchanged."""
    if "$ref" not in example:
        return example
    target: Json = spec["components"]["examples"][last_part(example["$ref"])]
    return target


def faults(spec: Json, schema: Any, value: Any) -> list[str]:
    """Return the errors of a value by a schema of the contract."""
    whole_schema = {**schema, "components": spec["components"]}
    validator = jsonschema_rs.Draft202012Validator(whole_schema, validate_formats=True)
    return [error.message[:200] for error in validator.iter_errors(value)]


def examples_beside(spec: Json, described: Json) -> list[Any]:
    """Return the example values of a schema, a parameter, a header or a body."""
    values = []
    if "schema" in described:
        members = described.get("examples", {})
        values += [resolved(spec, example)["value"] for example in members.values()]
    if "example" in described:
        values.append(described["example"])
    return values


# ---- defaults and examples -----------------------------------------------------------------------


@pytest.mark.whole
def test_every_default_and_example_is_right(spec: Json) -> None:
    """Every default and example is valid by its schema.

    Each body in an operation has 1 to MOST_EXAMPLES examples.
    """
    checked = 0
    for place, schema in objects_in(spec):
        if "default" not in schema or holds_schemas(place):
            continue
        without_default = {key: value for key, value in schema.items() if key != "default"}
        assert faults(spec, without_default, schema["default"]) == [], "/".join(place)
        checked += 1

    assert checked > 5

    checked = 0
    for place, described in objects_in(spec):
        if holds_schemas(place):
            continue
        schema = described.get("schema", described)
        for example in examples_beside(spec, described):
            assert faults(spec, schema, example) == [], "/".join(place)
            checked += 1

    assert checked > 60

    for name, operation in operations_in(spec):
        for _media_type, body in bodies_of(operation):
            assert 1 <= len(body["examples"]) <= MOST_EXAMPLES, name


# ---- references ----------------------------------------------------------------------------------


def test_every_reference_names_a_component(spec: Json) -> None:
    """Generators make a type of each component, but not of a part of a component."""
    references = [value["$ref"] for _, value in objects_in(spec) if "$ref" in value]

    assert len(references) > 100
    for reference in references:
        assert re.fullmatch(r"#/components/[A-Za-z]+/[A-Za-z0-9_.-]+", reference), reference


# ---- size ----------------------------------------------------------------------------------------


def test_the_contract_says_everything_once(spec: Json) -> None:
    """The contract is small, for people and models, and each tag of operations has a description.

    Only readiness, with its own 503, and agents' messages, with JSON-RPC errors, write out an
    error answer. No other schema repeats an enum of several words that is a component.
    """
    written_out = []
    for name, operation in operations_in(spec):
        for status, response in operation["responses"].items():
            if status >= "400" and "$ref" not in response:
                written_out.append((name, status))

    messages = [("post /mcp", "400"), ("post /mcp", "404")]
    assert sorted(written_out) == [("get /readyz", "503"), *messages]

    schemas = spec["components"]["schemas"]
    enums = {tuple(schema["enum"]) for schema in schemas.values() if "enum" in schema}
    enums = {words for words in enums if len(words) > 1}
    assert len(enums) > 15

    for place, schema in objects_in(schemas):
        is_component = len(place) == 1
        if not is_component and not holds_schemas(place):
            assert tuple(schema.get("enum", ())) not in enums, "/".join(place)

    used = {tag for _, operation in operations_in(spec) for tag in operation["tags"]}
    described = {tag["name"] for tag in spec["tags"] if tag["description"]}
    assert described == used

    assert len(CONTRACT.read_bytes()) < LARGEST


def test_statuses_of_any_operation_stand_once(spec: Json) -> None:
    """Each operation has the same default answer.

    It lists a status of that answer only to say more.
    """
    default = {"$ref": "#/components/responses/AnyProblem"}
    told_by_default = {str(kind.status) for kind in OF_ANY_OPERATION}
    listed: dict[str, set[str]] = {}
    for name, operation in operations_in(spec):
        assert operation["responses"]["default"] == default, name
        for status, response in operation["responses"].items():
            if status in told_by_default and "$ref" in response:
                listed.setdefault(status, set()).add(last_part(response["$ref"]))

    general = {kind.title for kind in OF_ANY_OPERATION}
    particular = {kind.title for kind in KINDS.values()} - general
    for name in set().union(*listed.values()):
        description = spec["components"]["responses"][name]["description"]
        assert any(title in description for title in particular), name
    assert set(listed) == {"403", "422", "429"}


def test_all_limits_have_one_maximum(spec: Json) -> None:
    """Every parameter `limit` has the same maximum."""
    maxima = [
        parameter["schema"]["maximum"]
        for path in spec["paths"].values()
        for operation in path.values()
        if isinstance(operation, dict)
        for item in operation.get("parameters", ())
        for parameter in [
            spec["components"]["parameters"].get(last_part(item.get("$ref", "")), item)
        ]
        if parameter["name"] == "limit"
    ]
    assert len(maxima) >= 8
    assert set(maxima) == {MOST_ON_A_PAGE}


def test_generators_with_defaults_make_usable_clients(spec: Json) -> None:
    """No member has a default, because generators make it required. No enum has only one word.

    No answer has JSON beside lines or text, because each client would get a union.
    """
    for place, schema in objects_in(spec["components"]["schemas"]):
        if holds_schemas(place):
            continue
        assert "default" not in schema, "/".join(place)
        assert len(schema.get("enum", (0, 0))) > 1, "/".join(place)

    for name, operation in operations_in(spec):
        for status, response in operation["responses"].items():
            media_types = set(response.get("content", {})) - {"application/problem+json"}
            assert len(media_types) <= 1 or JSON not in media_types, f"{name} {status}"


# ---- how it is served ----------------------------------------------------------------------------


def test_the_contract_is_served_in_every_form(quiet: Flask, spec: Json) -> None:
    """JSON and YAML say the same, and there is no third form."""
    client = quiet.test_client()
    whole = client.get("/openapi.json")
    as_yaml = client.get("/openapi.yaml")

    assert as_yaml.mimetype == "application/yaml"
    assert as_yaml.data == CONTRACT.read_bytes()
    assert json(whole) == spec
    assert client.get("/openapi.min.json").status_code == 404


def test_language_models_are_told_their_starting_point(quiet: Flask) -> None:
    """/llms.txt is short, in the form of llmstxt.org, and every link in it leads somewhere."""
    client = quiet.test_client()
    answer = client.get("/llms.txt")
    assert answer.mimetype == "text/plain"
    assert answer.text.startswith("# Giornale\n\n> ")
    assert len(answer.text) < 4000

    _, *after_links = answer.text.split("](")
    targets = [text.partition(")")[0] for text in after_links]
    assert len(targets) > 6
    for word in (*GAMES, *LEVELS, *TOOLS, MCP):
        assert word in answer.text, "all that the registry has is named"
    for target in targets:
        assert client.get(target).status_code == 200, target


def test_crawlers_read_pages_alone(quiet: Flask) -> None:
    """/robots.txt closes the API and the tools (RFC 9309)."""
    answer = quiet.test_client().get("/robots.txt")
    assert answer.mimetype == "text/plain"
    assert answer.text == f"User-agent: *\nDisallow: /v1/\nDisallow: {MCP}\n"


def test_agents_find_the_tools(quiet: Flask) -> None:
    """/.well-known/mcp.json names the address of the tools and each tool."""
    answer = quiet.test_client().get("/.well-known/mcp.json")
    assert answer.mimetype == "application/json"
    card = answer.get_json()
    assert card["transport"] == {"type": "streamable-http", "endpoint": MCP}
    assert [one["name"] for one in card["tools"]] == list(TOOLS)
    assert quiet.test_client().get(card["documentation"]).status_code == 200


# Options of Rust's plain regex engine. Like RE2 it has no lookaround.
PLAIN = jsonschema_rs.RegexOptions()


def patterns_in(document: Any) -> set[str]:
    """Return all patterns of the schemas in a document."""
    return {
        schema["pattern"]
        for place, schema in objects_in(document)
        if isinstance(schema.get("pattern"), str) and not holds_schemas(place)
    }


def repetitions(parsed: Any) -> int:
    """Return the largest number of repetitions in a parsed pattern. Nested ones are multiplied."""
    most = 1
    for _, argument in parsed:
        for inner in _inside(argument):
            most = max(most, repetitions(inner))
        if isinstance(argument, tuple) and len(argument) == 3 and isinstance(argument[1], int):
            least, up_to, repeated = argument
            times = least if up_to == re_parser.MAXREPEAT else up_to
            most = max(most, int(times) * repetitions(repeated))
    return most


def _inside(argument: Any) -> Iterator[Any]:
    """Yield the subpatterns in an argument of a parsed pattern."""
    if isinstance(argument, re_parser.SubPattern):
        yield argument
    elif isinstance(argument, tuple | list):
        for member in argument:
            yield from _inside(member)


@pytest.mark.parametrize(
    ("pattern", "times"), [("a", 1), ("a{3,7}", 7), ("(a{9}b)*", 9), ("(x(a{43}|c)){0,49}", 2107)]
)
def test_repetitions_are_multiplied(pattern: str, times: int) -> None:
    """Nested repetitions are multiplied, as by RE2."""
    assert repetitions(re_parser.parse(pattern)) == times


def test_plain_engines_compile_every_pattern(spec: Json, quiet: Flask) -> None:
    """No pattern of contract or tools needs lookaround. RE2, Rust and model providers lack it."""
    patterns = patterns_in(spec) | patterns_in(list(listed(contract_of(quiet))))

    assert len(patterns) > 20
    for pattern in patterns:
        jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=PLAIN)
        assert pattern.startswith("^"), pattern
        assert pattern.endswith("$"), pattern
        assert repetitions(re_parser.parse(pattern)) <= 1000, "RE2 refuses more"


@pytest.mark.parametrize("pattern", ["^a$(?!b)", "^(?=a)", "(?<=a)b", r"(a)\1"])
def test_an_engine_without_lookaround_is_asked(pattern: str) -> None:
    """The engine refuses lookaround. Otherwise the test of all patterns would prove nothing."""
    with pytest.raises(ValueError, match="regex"):
        jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=PLAIN)


def test_lines_and_events_name_their_schema(spec: Json) -> None:
    """A body of lines or events is a string in OpenAPI 3.1. It names the schema of its items."""
    items: dict[str, Json] = {}
    for _, operation in operations_in(spec):
        for media_type, body in bodies_of(operation):
            if media_type in (NDJSON, EVENT_STREAM):
                items[operation["operationId"]] = body["x-itemSchema"]

    references = {name: item.get("$ref", "").rpartition("/")[2] for name, item in items.items()}
    assert references == {
        "listCommitLines": "Commit",
        "listAllCommitLines": "LoggedCommit",
        "streamAllCommits": "",
        "listStateLines": "State",
        "readStoryLines": "StoryLine",
        "listThoughtLines": "Thought",
        "getRecord": "RecordLine",
        "listRecords": "RecordLine",
        "importRecord": "RecordLine",
        "streamMatch": "",
        "streamMyMatches": "",
    }
    for item in items.values():
        for one in item.get("oneOf", [item]):
            reference = one.get("$ref") or one["properties"]["data"]["contentSchema"]["$ref"]
            assert last_part(reference) in spec["components"]["schemas"]


@pytest.mark.parametrize(
    ("operation_id", "item"),
    [("streamMatch", "RewrittenMatch"), ("streamAllCommits", "RewrittenLog")],
)
def test_the_last_event_of_a_stream_has_its_own_schema(
    spec: Json, operation_id: str, item: str
) -> None:
    """The event `rewritten` has its own schema, since it holds no commit."""
    (body,) = (
        body
        for _, operation in operations_in(spec)
        if operation["operationId"] == operation_id
        for media_type, body in bodies_of(operation)
        if media_type == EVENT_STREAM
    )
    by_name = {
        one["properties"]["event"].get("const"): one["properties"]["data"]["contentSchema"]["$ref"]
        for one in body["x-itemSchema"]["oneOf"]
    }
    assert last_part(by_name["rewritten"]) == item
