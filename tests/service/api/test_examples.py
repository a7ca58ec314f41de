"""Every example of the contract can be sent: the service accepts its form."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson
import pytest
import yaml

from domain.games import GAMES
from tests.service.api.conftest import OPERATOR, Door, opened
from tests.service.api.contract_file import CONTRACT
from tests.whole import whole_but

Json = dict[str, Any]

# Values of required parameters without an example, other than the match.
VALUES = {
    "seat": "1",
    "version": "1",
    "game": "calimala",
    "player": "bot:greedy",
    "holder": "spectator",
}
CALLERS = ("seat:0", "owner", OPERATOR)
FORM_REFUSED = {400, 415, 422}


class Sample(NamedTuple):
    """A request made of examples, to a match of a game. `path` may contain `{match}`."""

    name: str
    game: str
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes | None


def samples(spec: Json) -> Iterator[Sample]:
    """Yield each body of each operation with its required parameters alone.

    Then add each optional one with an example, and all such headers at once.
    """
    for path, operations in spec["paths"].items():
        for method, operation in operations.items():
            yield from _samples_of(spec, method, path, operation)


def _samples_of(spec: Json, method: str, path: str, operation: Json) -> Iterator[Sample]:
    described = [_resolved(spec, each) for each in operation.get("parameters", [])]
    needed = [each for each in described if each.get("required")]
    optional = [each for each in described if "example" in each and not each.get("required")]
    headers = [each for each in optional if each["in"] == "header"]
    choices = [[], *([each] for each in optional), headers]

    for body_name, media_type, body in _bodies(spec, operation):
        for chosen in choices:
            label = " ".join((body_name, *(each["name"] for each in chosen)))
            values = {(each["in"], each["name"]): _value(each) for each in [*needed, *chosen]}
            content = {"Content-Type": media_type} if media_type else {}
            yield Sample(
                f"{operation['operationId']}: {label}",
                body_name if body_name in GAMES else "calimala",
                method.upper(),
                re.sub(r"\{(\w+)\}", lambda name: VALUES.get(name[1], name[0]), path),
                _of_place(values, "query"),
                _of_place(values, "header") | content,
                body,
            )


def _bodies(spec: Json, operation: Json) -> Iterator[tuple[str, str, bytes | None]]:
    """Yield the name, the media type and the bytes of each example of a body."""
    if "requestBody" not in operation:
        yield "no body", "", None
        return
    for media_type, described in operation["requestBody"]["content"].items():
        for name, example in described["examples"].items():
            value = _resolved(spec, example)["value"]
            is_text = isinstance(value, str)
            yield name, media_type, value.encode() if is_text else orjson.dumps(value)


def _resolved(spec: Json, described: Json) -> Json:
    if "$ref" not in described:
        return described
    kind, name = described["$ref"].removeprefix("#/components/").split("/")
    component: Json = spec["components"][kind][name]
    return component


def _value(parameter: Json) -> str:
    return str(parameter.get("example", VALUES.get(parameter["name"])))


def _of_place(values: dict[tuple[str, str], str], place: str) -> dict[str, str]:
    return {name: value for (where, name), value in values.items() if where == place}


@pytest.fixture(scope="module")
def spec() -> Json:
    """The contract parsed from openapi.yaml."""
    loaded: Json = yaml.load(CONTRACT.read_text(), Loader=yaml.CSafeLoader)
    return loaded


def _answer(door: Door, sample: Sample, caller: str) -> tuple[int, str]:
    """Return the status, and the body of a refused form. Other bodies may be endless streams."""
    answer = door.ask(
        sample.method,
        sample.path.replace("{match}", door.match),
        caller,
        query_string=sample.query,
        headers=sample.headers,
        data=sample.body,
        buffered=False,
    )
    text = answer.text if answer.status_code in FORM_REFUSED else ""
    answer.close()
    return answer.status_code, text


@pytest.mark.parametrize("caller", whole_but(["seat:0"], CALLERS))
def test_the_form_of_every_example_is_accepted(door: Door, spec: Json, caller: str) -> None:
    """A rule, a permission or the state of the match may refuse an example, but not its form."""
    refused = []
    requests = list(samples(spec))
    for sample in requests:
        # GET requests change nothing, so they may share a match.
        if sample.method != "GET" or not door.match:
            opened(door, game=sample.game)
        status, text = _answer(door, sample, caller)
        if status in FORM_REFUSED:
            refused.append((sample.name, status, text))
        if status >= 400:
            print(sample.name, status)

    assert refused == []
    assert len(requests) > 150


def test_an_example_with_a_slip_is_refused(door: Door, spec: Json) -> None:
    """A slip in a body, a parameter or a header is refused, so the service reads all three."""
    by_name = {sample.name: sample for sample in samples(spec)}
    move = by_name["makeMove: calimala"]
    page = by_name["listMatches: no body updated_from"]
    slips = [
        (move._replace(body=b'{"type":"castle"}'), 422),
        (move._replace(body=b"{"), 400),
        (move._replace(headers={"Content-Type": "text/plain"}), 415),
        (by_name["makeMove: calimala If-Match"]._replace(headers={"If-Match": "x"}), 422),
        (page._replace(query={"updated_from": "yesterday"}), 422),
    ]
    for slip, expected in slips:
        opened(door)
        status, _ = _answer(door, slip, "seat:0")
        assert status == expected, slip
