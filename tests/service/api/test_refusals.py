"""Refusals of every operation, as the contract lists them, and of single odd requests."""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from json import dumps
from typing import Any

import pytest
from werkzeug.test import TestResponse

from domain.games import GAMES
from service.api.contract.operations import CHANGING, Operation, operation_of
from service.api.http.requests import MOST_BYTES
from service.api.problems import KINDS, PROBLEM
from service.ops.process.valkey import Server
from tests.service.api.conftest import (
    OPERATOR,
    THREE,
    Door,
    Make,
    door_maker,
    json,
    opened,
    problem,
)
from tests.service.api.contract_file import quiet_app

ID = "a" * 26
JSON = "application/json"
FORGED = f"gio_{ID}_{'A' * 43}"
LEAST_BODIES: dict[str, Any] = {
    "putWebhook": {"url": "https://example.org/", "on": ["turn"]},
    "askTakeBack": {"to": 1},
    "tryLine": {"version": 1, "moves": []},
    "pledgeEntropy": {"digest": "0" * 64},
    "discloseEntropy": {"entropy": "0" * 64},
}
PROOF = "getProof"  # it exists once the scheduler has written the commit to the log
STARTED_FIRST = ("getAudit",)  # 404 until somebody has started it
SEALED = ("listThoughts", "listThoughtLines", "getCurve")
STARTED_BY_THE_OWNER = {"startMatch", "abortMatch", "putBot", "dismissBot", "revokeToken"}


# Values for the variables of paths. @ stands for the match's id.
VALUES = {
    "match": "@",
    "game": "calimala",
    "seat": "1",
    "version": "1",
    "holder": "spectator",
    "player": "bot:greedy",
}


PATH_PART = re.compile(r"<(?:(?P<kind>\w+):)?(?P<name>\w+)>")


@dataclass(frozen=True)
class Route:
    """An operation with its method and its path. An @ stands for the match's id."""

    operation: Operation
    method: str
    path: str

    @property
    def is_of_a_match(self) -> bool:
        """True if requests concern one match and have tokens of that match."""
        return "@" in self.path and self.operation.tokens != "operator"

    @property
    def who(self) -> str:
        """The holder of a token that permits the operation."""
        if self.operation.tokens == "operator":
            return OPERATOR
        return "owner" if self.operation.name in STARTED_BY_THE_OWNER else "seat:1"

    def send(self, door: Door, who: str = "", query: str = "", **more: Any) -> TestResponse:
        """Send a request for the operation."""
        if self.operation.name == "getDiff" and not query:
            query = "?from=1"
        if self.operation.name == "getLadder" and not query:
            query = "?game=calimala"
        if more.get("json") == {}:
            more["json"] = LEAST_BODIES.get(self.operation.name, {})
        path = self.path.replace("@", more.pop("match", door.match))
        return door.ask(more.pop("method", self.method), f"{path}{query}", who, **more)


def filled(path: str, values: dict[str, str]) -> str:
    """Return the path of a rule with values for its parts."""
    return PATH_PART.sub(lambda part: values[part["name"]], path)


def routes() -> Iterator[Route]:
    """Yield every operation of the application."""
    app = quiet_app()
    for rule in app.url_map.iter_rules():
        operation = operation_of(app.view_functions[rule.endpoint])
        if operation is None:
            continue

        [method] = (rule.methods or set()) - {"HEAD", "OPTIONS"}
        yield Route(operation, method, filled(rule.rule, VALUES))


ROUTES = {route.operation.name: route for route in routes()}
OF_A_MATCH = {name: route for name, route in ROUTES.items() if route.is_of_a_match}
WITH_A_BODY = {name: route for name, route in ROUTES.items() if route.operation.body}
CHANGES = {name: route for name, route in ROUTES.items() if route.method in CHANGING}

Every = pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
EveryOfAMatch = pytest.mark.parametrize("route", OF_A_MATCH.values(), ids=OF_A_MATCH)
EveryWithABody = pytest.mark.parametrize("route", WITH_A_BODY.values(), ids=WITH_A_BODY)
EveryChange = pytest.mark.parametrize("route", CHANGES.values(), ids=CHANGES)


@pytest.fixture(scope="module")
def running(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """One application for all these tests, without a limit of openings."""
    with door_maker(server.url, tmp_path_factory.mktemp("refusals")) as make:
        yield make(ALLOW_SEED="true", OPERATOR_TOKEN=OPERATOR, RATE_LIMIT="0", OPENINGS="0")


@pytest.fixture
def door(running: Door) -> Door:
    """A door of the application, with no match yet."""
    return Door(running.client, running.ctx)


@pytest.fixture
def match(door: Door) -> Door:
    """A match of three humans that has started."""
    return opened(door)


def check(route: Route, answer: TestResponse, status: int, kind: str) -> None:
    """Fail unless an answer is a problem of a kind the contract names for the operation."""
    assert problem(answer) == (status, kind), answer.text
    assert answer.mimetype == PROBLEM
    assert json(answer)["status"] == status
    assert json(answer)["detail"]
    assert KINDS[kind] in route.operation.problems
    assert ("WWW-Authenticate" in answer.headers) == (status == 401)


# ---- what every operation refuses ----------------------------------------------------------------


@Every
def test_parameters_are_read_strictly(match: Door, route: Route) -> None:
    """The refusal names an unknown parameter, or one that is given twice."""
    queries = {"versoin": "?versoin=1"}
    in_query = [one.name for one in route.operation.parameters if one.place == "query"]
    if in_query:
        queries[in_query[0]] = f"?{in_query[0]}=1&{in_query[0]}=1"

    for name, query in queries.items():
        answer = route.send(match, route.who, query)
        check(route, answer, 422, "invalid-request")
        assert name in [place["parameter"] for place in json(answer)["errors"]]


@Every
def test_another_method_is_refused(match: Door, route: Route) -> None:
    """The refusal of a method names the allowed ones, in our own words."""
    answer = route.send(match, route.who, method="PATCH")

    assert problem(answer) == (405, "method-not-allowed")
    assert route.method in answer.headers["Allow"]
    assert "method is not allowed for" not in json(answer)["detail"]


@Every
def test_all_but_probes_is_refused_for_a_foreign_host(match: Door, route: Route) -> None:
    """A request to a foreign host name (DNS rebinding) is refused, unless it is a probe."""
    answer = route.send(match, route.who, headers={"Host": "evil.example"})

    if route.operation.name in ("isAlive", "isReady"):
        assert answer.status_code in (200, 503), "who asks whether it is alive may know an address"
    else:
        check(route, answer, 421, "misdirected")


@EveryChange
def test_a_page_of_another_site_changes_nothing(match: Door, route: Route) -> None:
    """A cross-site request changes nothing, even with the right token."""
    answer = route.send(match, route.who, headers={"Sec-Fetch-Site": "cross-site"})

    assert problem(answer) == (403, "cross-site")
    assert json(match.get())["version"] == 1


@EveryOfAMatch
def test_a_token_counts_for_its_match_alone(match: Door, route: Route) -> None:
    """A wrong header, an invented token and a token of another match are refused."""
    forged = f"gio_{match.match}_{'A' * 43}"
    basic = {"Authorization": "Basic Zm9v"}

    check(route, route.send(match, forged, json=json_of(route)), 401, "unauthorized")
    check(route, route.send(match, FORGED, json=json_of(route)), 403, "forbidden")
    check(route, route.send(match, "gio_", json=json_of(route)), 401, "unauthorized")
    check(route, route.send(match, headers=basic, json=json_of(route)), 401, "unauthorized")
    if route.operation.tokens == "needed":
        check(route, route.send(match, json=json_of(route)), 401, "unauthorized")


@EveryOfAMatch
def test_a_private_match_is_not_there_for_strangers(door: Door, route: Route) -> None:
    """A stranger is refused, and no shared cache may store a spectator's answer.

    tests/attacks/test_private.py shows that the refusal equals that for an invented match.
    """
    opened(door, seats=THREE, visibility="private")
    needs_token = route.operation.tokens == "needed"
    refusal = (401, "unauthorized") if needs_token else (404, "not-found")
    check(route, route.send(door, json=json_of(route)), *refusal)

    if route.operation.name == PROOF:
        check(route, route.send(door, "spectator"), 503, "overloaded")
    elif route.operation.name in STARTED_FIRST:
        check(route, route.send(door, "spectator"), 404, "not-found")
    elif route.method == "GET" and not needs_token and route.operation.name not in SEALED:
        to_a_spectator = route.send(door, "spectator", method="HEAD")
        assert to_a_spectator.status_code in (200, 202)
        assert "public" not in to_a_spectator.headers["Cache-Control"]


@EveryOfAMatch
def test_a_deleted_match_is_gone(match: Door, route: Route) -> None:
    """Every operation of a deleted match is refused. The refusal has the time of the deletion."""
    match.get("state", "seat:1")
    assert match.delete("", OPERATOR).status_code == 204

    for who in (route.who, FORGED.replace(ID, match.match)):
        answer = route.send(match, who, json=json_of(route))
        check(route, answer, 410, "match-deleted")
        assert json(answer)["deleted"].startswith("20")


@pytest.mark.parametrize("name", ["importRecord", "deleteMatch"])
def test_the_operators_operations_are_the_operators(match: Door, name: str) -> None:
    """No token of a match permits an operator's operation."""
    route = ROUTES[name]

    check(route, route.send(match), 401, "unauthorized")
    check(route, route.send(match, "owner"), 403, "forbidden")
    check(route, route.send(match, f"{OPERATOR}x"), 403, "forbidden")
    assert json(match.get())["version"] == 1


def json_of(route: Route) -> Any:
    """Return a body an operation can read, None if it takes none."""
    if route.operation.name == "makeMove":
        return {"type": "end_activation"}
    return {} if route.operation.body else None


# ---- what every body must be ---------------------------------------------------------------------

FOREIGN_TYPES = ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]


@EveryChange
def test_a_body_must_say_that_it_is_json(match: Door, route: Route) -> None:
    """A content type that any page can post is refused. The refusal names the right type.

    This holds for operations without a body, too.
    """
    for media in FOREIGN_TYPES:
        headers = {"Content-Type": media} if media else {}
        answer = route.send(match, route.who, data=b'{"type": "pass"}', headers=headers)

        assert problem(answer) == (415, "unsupported-media-type")
        assert answer.headers["Accept-Post"] == route.operation.takes
        assert "application/" in json(answer)["detail"]
    assert json(match.get())["version"] == 1


@EveryWithABody
def test_a_body_must_be_sent_as_it_is(match: Door, route: Route) -> None:
    """A body with a content coding is refused.

    The header Accept-Encoding names `identity` (RFC 9110, 15.5.16).
    """
    compressed = gzip.compress(b'{"type": "pass"}')
    for coding in ("gzip", "GZIP, br"):
        answer = route.send(
            match,
            route.who,
            data=compressed,
            content_type=route.operation.takes,
            headers={"Content-Encoding": coding},
        )
        check(route, answer, 415, "unsupported-media-type")
        assert answer.headers["Accept-Encoding"] == "identity"
        assert "Content-Encoding" in json(answer)["detail"]


@EveryWithABody
def test_a_body_has_a_greatest_size(match: Door, route: Route) -> None:
    """A larger body is refused, and the answer tells nothing of its content."""
    is_json = route.operation.takes == JSON
    body = b"{" * (70_000 if is_json else MOST_BYTES + 1)

    answer = route.send(match, route.who, data=body, content_type=route.operation.takes)

    check(route, answer, 413, "too-large")
    assert "errors" not in json(answer)
    assert "commit" not in json(answer)


PLACE = '{"type":"place_disc","street":"0-1","disc":"white"}'
DEEP = "[" * 40 + "]" * 40

MALFORMED: dict[str, bytes] = {
    "empty": b"",
    "not-json": b"move!",
    "half": PLACE[:-4].encode(),
    "nan": b'{"type": NaN}',
    "infinity": b'{"type": -Infinity}',
    "twice": b'{"type": "skip", "type": "skip"}',
    "deep": f'{{"type": {DEEP}}}'.encode(),
    "very-deep": b'{"type": ' + b"[" * 30_000,
    "not-utf8": b'{"type": "\xff\xfe"}',
    "utf16": '{"type": "skip"}'.encode("utf-16"),
    "byte-order-mark": ('\ufeff{"type": "skip"}'.encode()),
}


@EveryWithABody
def test_a_body_must_be_json(match: Door, route: Route) -> None:
    """The refusal of malformed bytes describes the request, not its parser."""
    if route.operation.takes != JSON:
        pytest.skip("its lines have refusals of their own")
    if route.operation.name == "callTool":
        pytest.skip("its refusals are JSON-RPC's: tests/service/api/test_mcp.py")

    for body in MALFORMED.values():
        answer = route.send(match, route.who, data=body, content_type=JSON)
        check(route, answer, 400, "malformed-json")
        assert "sys." not in answer.text
    for body in (b"[]", b"null"):
        answer = route.send(match, route.who, data=body, content_type=JSON)
        check(route, answer, 422, "invalid-request")
        assert pointers(answer) == [""]
    assert json(match.get())["version"] == 1


def pointers(answer: TestResponse) -> list[str]:
    """Return the JSON pointers in a problem."""
    return [place["pointer"] for place in json(answer).get("errors", [])]


def test_a_chunked_body_past_the_limit_is_not_cut(match: Door) -> None:
    """A legal move with spaces and garbage beyond the limit is refused as too large."""
    move = dumps(match.moves("seat:0")[0]).encode()

    answer = match.ask(
        "POST",
        "moves",
        "seat:0",
        input_stream=BytesIO(move + b" " * 70_000 + b"garbage"),
        content_type=JSON,
        environ_overrides={"HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": ""},
    )

    assert problem(answer) == (413, "too-large")
    assert json(match.get())["version"] == 1


class InPieces(BytesIO):
    """A body that is read byte by byte."""

    def read(self, _size: int | None = -1, /) -> bytes:
        """Return the next byte, b"" at the end."""
        return super().read(1)


@pytest.mark.parametrize(("missing", "status", "version"), [(0, 201, 2), (1, 400, 1)])
def test_a_body_is_read_to_its_end(match: Door, missing: int, status: int, version: int) -> None:
    """A body in pieces is put together. A body that ends too early changes nothing."""
    move = dumps(match.moves("seat:0")[0]).encode()

    answer = match.ask(
        "POST",
        "moves",
        "seat:0",
        input_stream=InPieces(move),
        content_type=JSON,
        environ_overrides={"CONTENT_LENGTH": str(len(move) + missing)},
    )

    assert answer.status_code == status
    assert json(match.get())["version"] == version


# ---- places of a body that are wrong -------------------------------------------------------------

WRONG_MOVES: dict[str, tuple[bytes, str]] = {
    "surrogate": (b'{"type": "skip", "action": "\\ud800"}', "/action"),
    "surrogate-name": (b'{"type": "skip", "\\udfff": 1}', ""),
    "huge-number": (
        b'{"type": "give_up_disc", "street": "0-1", "position": 9007199254740993}',
        "/position",
    ),
    "enormous-number": (b'{"position": ' + b"9" * 5000 + b"}", "/position"),
    "enormous-fraction": (b'{"position": 1.' + b"9" * 5000 + b"}", "/position"),
    "enormous-exponent": (b'{"position": 1e' + b"9" * 30 + b"}", "/position"),
    "infinite-exponent": (b'{"position": -1e999}', "/position"),
    "fraction": (b'{"type": 1.5}', "/type"),
    "fraction-near-a-whole-number": (b'{"position": 9007199254740990.6}', "/position"),
    "fraction-in-a-list": (b'{"type": "perform", "cities": [0, 0.5]}', "/cities/1"),
    "no-type": (b"{}", "/type"),
    "type-of-another-kind": (b'{"type": ["skip"]}', "/type"),
    "unknown-type": (b'{"type": "castle"}', "/type"),
    "house-move": (b'{"type": "score"}', "/type"),
    "lobby-move": (b'{"type": "reveal"}', "/type"),
    "seat": (b'{"type": "end_activation", "seat": 0}', "/seat"),
    "unknown-field": (b'{"type": "end_activation", "a/b~c": 0}', "/a~1b~0c"),
    "missing-field": (b'{"type": "place_disc", "street": "0-1"}', "/disc"),
    "unknown-street": (PLACE.replace("0-1", "0-8").encode(), "/street"),
    "unknown-card": (b'{"type": "keep_scoring_card", "card": "ace"}', "/card"),
    "number-for-text": (b'{"type": "keep_scoring_card", "card": 7}', "/card"),
    "truth-for-number": (
        b'{"type": "give_up_disc", "street": "0-1", "position": true}',
        "/position",
    ),
    "deep-place": (
        b'{"type": "perform", "action": "ship", "cities": ["lisbon", "rome"]}',
        "/cities/1",
    ),
}


@pytest.mark.parametrize(("body", "place"), WRONG_MOVES.values(), ids=WRONG_MOVES)
def test_a_wrong_place_of_a_move_is_named(match: Door, body: bytes, place: str) -> None:
    answer = match.ask("POST", "moves", "seat:0", data=body, content_type=JSON)

    assert problem(answer) == (422, "invalid-request")
    assert pointers(answer) == [place]
    assert set(json(answer)["errors"][0]) == {"pointer", "detail"}
    assert json(match.get())["version"] == 1


@pytest.mark.parametrize("bank", ["60.0", "6e1", "600E-1", "60.000", "60"])
def test_a_whole_number_may_be_written_as_a_fraction(door: Door, bank: str) -> None:
    """JSON Schema calls 60.0 an `integer`, too. The journal stores it as 60."""
    plan = dumps({"game": "calimala", "seats": THREE, "clock": {**CLOCK, "bank_s": 60}})
    answer = door.ask(
        "POST", "/v1/matches", data=plan.replace("60", bank).encode(), content_type=JSON
    )

    assert answer.status_code == 201, answer.text
    commits = door.ask("GET", f"/v1/matches/{json(answer)['match']}/commits").text
    assert '"bank_s":60,' in commits


def with_fractions(value: Any) -> Any:
    """Return a JSON value with each whole number as a fraction, such as 3.0 for 3."""
    if isinstance(value, dict):
        return {name: with_fractions(member) for name, member in value.items()}
    if isinstance(value, list):
        return [with_fractions(member) for member in value]
    return float(value) if type(value) is int else value


def numbered(match: Door) -> dict[str, Any]:
    """Return bodies with whole numbers by their paths."""
    move = {"type": "take_card", "slot": 0}
    assert move in match.moves("seat:0")
    fork = {"match": match.match, "version": 1}
    return {
        "moves?dry_run=true": move,
        "lines": {"version": 1, "moves": [{**move, "seat": 0}], "seat": 0},
        "take-back": {"to": 1},
        "/v1/matches": {"game": "firenze", "seats": THREE, "take_back": "own", "fork": fork},
        "moves": move,
    }


@pytest.mark.parametrize(
    "name", ["moves?dry_run=true", "lines", "take-back", "/v1/matches", "moves"]
)
def test_moves_and_versions_may_be_written_as_fractions(door: Door, name: str) -> None:
    """A request with 1.0 instead of 1 is a repeat of the same request."""
    match = opened(door, "firenze", take_back="own")
    body = numbered(match)[name]
    key = {"Idempotency-Key": "one-key-for-both"}
    plain, fractions = (
        match.post(name, content, "seat:0", headers=key) for content in (body, with_fractions(body))
    )

    assert plain.status_code in (200, 201, 409), plain.text
    assert (fractions.status_code, fractions.text) == (plain.status_code, plain.text)


def test_a_fraction_is_refused_with_its_place(door: Door) -> None:
    """60.5 is valid JSON, but no whole number."""
    clock = {**CLOCK, "bank_s": 60.5}
    answer = door.ask(
        "POST", "/v1/matches", json={"game": "calimala", "seats": BOTS, "clock": clock}
    )

    assert problem(answer) == (422, "invalid-request")
    assert pointers(answer) == ["/clock/bank_s"]


def seated(**third: Any) -> dict[str, Any]:
    """Return a request for a match with a third seat."""
    return {"game": "calimala", "seats": [*THREE[:2], third]}


BOTS = [{"kind": "bot", "level": "random"}] * 3
CLOCK = {"bank_s": 300, "move_s": 5, "level": "greedy"}


def with_options(game: str = "calimala", **options: Any) -> dict[str, Any]:
    """Return a request for a match with options."""
    return {"game": game, "seats": THREE, "options": options}


OPENING: dict[str, tuple[dict[str, Any], str]] = {
    "no-game": ({"seats": THREE}, "/game"),
    "unknown-game": ({"game": "go", "seats": THREE}, "/game"),
    "no-seats": ({"game": "calimala"}, "/seats"),
    "too-few-seats": ({"game": "calimala", "seats": THREE[:2]}, "/seats"),
    "too-many-seats": ({"game": "calimala", "seats": THREE * 2}, "/seats"),
    "seats-of-another-kind": ({"game": "calimala", "seats": "three"}, "/seats"),
    "seat-of-another-kind": ({"game": "calimala", "seats": [*THREE[:2], "me"]}, "/seats/2"),
    "unknown-kind": (seated(kind="cat"), "/seats/2/kind"),
    "bot-level": (seated(kind="bot", level="x"), "/seats/2/level"),
    "open-with-name": (seated(kind="open", name="x"), "/seats/2/name"),
    "entropy-with-line-end": (seated(kind="human", entropy="ab\n"), "/seats/2/entropy"),
    "unknown-option": (with_options(speed=1), "/options/speed"),
    "option-value": (with_options(layout="round"), "/options/layout"),
    "option-of-another-kind": (with_options(layout=[]), "/options/layout"),
    "options-of-another-kind": ({"game": "calimala", "seats": THREE, "options": []}, "/options"),
    "visibility": ({"game": "calimala", "seats": THREE, "visibility": "secret"}, "/visibility"),
    "unknown-field": ({"game": "calimala", "seats": THREE, "clock": 5}, "/clock"),
    "flag": (with_options("firenze", campanile="yes"), "/options/campanile"),
    "number": (with_options("firenze", turn_limit=10**6), "/options/turn_limit"),
    "data": (with_options("firenze", board=[]), "/options/board"),
    "advice-of-text": ({"game": "calimala", "seats": THREE, "advice": "true"}, "/advice"),
    "advice-of-a-number": ({"game": "calimala", "seats": THREE, "advice": 1}, "/advice"),
    "advice-of-null": ({"game": "calimala", "seats": THREE, "advice": None}, "/advice"),
    "clock": ({"game": "calimala", "seats": THREE, "clock": {"bank_s": 4}}, "/clock/bank_s"),
    "clock-of-bots-alone": ({"game": "calimala", "seats": BOTS, "clock": CLOCK}, "/clock"),
    "take-back": ({"game": "calimala", "seats": THREE, "take_back": "always"}, "/take_back"),
    **{
        f"name-with-{sign!r}": (seated(kind="human", name=f"Ada{sign}Bob"), "/seats/2/name")
        for sign in ("\n", "\r", "\x1b", "\x7f", "\x85", "\x9b", "\x00")
    },
}


@pytest.mark.parametrize(("body", "place"), OPENING.values(), ids=OPENING)
def test_a_match_that_cannot_be_opened(door: Door, body: dict[str, Any], place: str) -> None:
    """Every wrong place of the request is named, and nothing is opened."""
    before = door.get("/v1/matches").data
    answer = door.post("/v1/matches", body)

    assert problem(answer) == (422, "invalid-request")
    assert place in pointers(answer)
    assert door.get("/v1/matches").data == before


def test_a_fixed_seed_is_off_by_default(make_door: Make) -> None:
    """The refusal names the setting and the way without it."""
    door = make_door()
    body = {"game": "calimala", "seats": BOTS, "seed": "x"}
    answer = door.post("/v1/matches", body)

    check(ROUTES["openMatch"], answer, 403, "feature-off")
    assert json(answer)["detail"] == "Fixed seeds are off on this server. Leave `seed` out."
    assert json(door.get("/v1/matches"))["matches"] == []


# ---- single requests that are refused ------------------------------------------------------------


@dataclass(frozen=True)
class Refused:
    """A request, the status of its refusal, and the number of the rule it names, if any."""

    method: str
    path: str
    status: int
    who: str = ""
    rule: str = ""
    body: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def send(self, door: Door) -> TestResponse:
        """Send the request. A move without a body is `end_activation`, an illegal move."""
        body = self.body
        if self.path == "moves" and body is None:
            body = {"type": "end_activation"}
        more = {} if body is None else {"json": body}
        return door.ask(self.method, self.path, self.who, headers=self.headers, **more)


def wrong(path: str, status: int = 422) -> Refused:
    """Return a GET request that is refused."""
    return Refused("GET", path, status)


def wrong_move(status: int = 422, who: str = "seat:0", **headers: str) -> Refused:
    """Return a move that is refused for one of its headers."""
    all_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return Refused("POST", "moves", status, who, headers=all_headers)


# A legal move of seat 0. An illegal move would be refused as illegal, not for its signature.
LEGAL = {"type": "keep_scoring_card", "card": "lisbon"}

REQUESTS: dict[str, Refused] = {
    "no-match-id": wrong("/v1/matches/nothing/state", 404),
    "odd-path": wrong("/v1/matches/%00%ff/state", 404),
    "unknown-path": wrong("/v2", 404),
    "unknown-game": wrong("/v1/games/go", 404),
    "empty-step": wrong("/v1//matches", 404),
    "unknown-problem": wrong("/problems/none", 404),
    "unknown-rules": wrong("/rules/..", 404),
    "page-of-no-match": wrong("/matches/x", 404),
    "page-of-version-01": wrong(f"/matches/{ID}/01", 404),
    "page-of-version-x": wrong(f"/matches/{ID}/x", 404),
    "page-posted-to": Refused("POST", "/", 405, body={}),
    "version-zero": wrong("state?version=0"),
    "version-spaces": wrong("state?version=%201"),
    "version-leading-zero": wrong("state?version=01"),
    "version-text": wrong("state?version=one"),
    "version-other-digits": wrong("state?version=\u0661"),
    "version-to-come": wrong("state?version=99", 404),
    "verbose-line-end": wrong("/readyz?verbose=%0A"),
    "moment-text": wrong("state?at=yesterday"),
    "moment-impossible": wrong("state?at=2026-02-30T00:00:00Z"),
    "moment-zone": wrong("state?at=2026-02-20T00:00:00%2B14:60"),
    "moment-plus-as-space": wrong("state?at=2026-02-20T00:00:00+01:00"),
    "moment-before": wrong("state?at=2020-02-20T00:00:00Z", 404),
    "commit-zero": wrong("commits/0", 404),
    "commit-leading-zero": wrong("commits/01", 404),
    "commit-other-digits": wrong("commits/\u0661", 404),
    "commit-to-come": wrong("commits/99", 404),
    "commits-actor": wrong("commits?actor=seat:16"),
    "audit-to-come": wrong("audits/99", 404),
    "diff-from-nowhere": wrong("diff"),
    "diff-from-yesterday": wrong("diff?from=yesterday"),
    "states-after": wrong("states?after=-1"),
    "states-limit": wrong("states?limit=0"),
    "states-limit-too-high": wrong("states?limit=1001"),
    "story-limit": wrong("story?limit=0"),
    "story-limit-too-high": wrong("story?limit=1001"),
    "story-after": wrong("story?after=-1"),
    "story-moment": wrong("story?from=yesterday"),
    "story-wait-too-long": wrong("story?wait=61"),
    "state-wait-too-long": wrong("state?wait=3600"),
    "moves-wait-too-long": wrong("moves?wait=61"),
    "list-cursor": wrong("/v1/matches?cursor=abc"),
    "list-status": wrong("/v1/matches?status=lost"),
    "list-for-nobody": wrong("/v1/matches?waiting_for=me", 401),
    "list-odd-tokens": Refused(
        "GET", "/v1/matches?waiting_for=me", 422, headers={"Giornale-Tokens": "a,b"}
    ),
    "last-event-id": Refused("GET", "stream", 422, headers={"Last-Event-ID": "abc"}),
    "if-match": wrong_move(If_Match='w"1"'),
    "if-match-text": wrong_move(If_Match="nine"),
    "if-match-list": wrong_move(If_Match='"1", "2"'),
    "if-match-stale": wrong_move(412, If_Match='"9"'),
    "two-keys": wrong_move(Idempotency_Key="a,b"),
    "key-with-a-space": wrong_move(Idempotency_Key="a b"),
    "M18-no-signature": wrong_move(Giornale_Signature="ab"),
    "M18-signed-without-a-key": Refused(
        "POST", "moves", 422, "seat:0", body=LEGAL, headers={"Giornale-Signature": "00" * 64}
    ),
    "M18-no-key": Refused("POST", "seats/1", 422, body={"key": "00" * 32}),
    "move-of-the-owner": wrong_move(403, who="owner"),
    "move-of-another-type": Refused("POST", "moves", 422, "seat:0", body={"type": "fly"}),
    "C12-not-now": Refused("POST", "moves", 409, "seat:1", rule="C12"),
    "M1-no-such-seat": Refused("POST", "seats/7", 404, body={}),
    "M2-taken": Refused("POST", "seats/0", 409, rule="M2", body={}),
    "M3-not-held": Refused("DELETE", "seats/1", 403, "seat:0"),
    "M4-not-the-owner": Refused("POST", "start", 403, "seat:0"),
    "M7-not-the-owner": Refused("POST", "abort", 403, "seat:0"),
    "M8-not-the-owner": Refused("POST", "seats/1/bot", 403, "seat:0", body={}),
    "M8-nobody-to-restore": Refused("DELETE", "seats/1/bot", 409, "owner", rule="M8"),
    "M8-no-such-seat": Refused("POST", "seats/9/bot", 404, "owner", body={}),
    "M8-no-such-level": Refused("POST", "seats/1/bot", 422, "owner", body={"level": "perfect"}),
    "M17-no-take-back": Refused("POST", "take-back", 409, "seat:0", rule="M17", body={"to": 1}),
    "M17-to-version-zero": Refused("POST", "take-back", 422, "seat:0", body={"to": 0}),
    "M17-to-a-text": Refused("POST", "take-back", 422, "seat:0", body={"to": "3"}),
    "M17-nobody-asks": Refused("POST", "take-back/agree", 409, "seat:1", rule="M17"),
    "M17-nothing-to-refuse": Refused("POST", "take-back/refuse", 409, "seat:1", rule="M17"),
    "M8-not-away": Refused("POST", "return", 409, "seat:1", rule="M8"),
    **{
        f"only-a-seat-{path}": Refused("POST", path, 403, "owner")
        for path in ("resign", "return", "take-back/agree", "take-back/refuse")
    },
    "M2-unknown-field": Refused("POST", "seats/1", 422, body={"nick": "x"}),
    "M2-empty-name": Refused("POST", "seats/1", 422, body={"name": ""}),
    "M2-odd-entropy": Refused("POST", "seats/1", 422, body={"entropy": "abc"}),
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_request_that_is_refused(match: Door, request_: Refused) -> None:
    """The problem names the rule if one is broken, and the match is as it was.

    A repeat, with match and token in the cache, is refused alike.
    """
    for _time in range(2):
        answer = request_.send(match)

        assert answer.status_code == request_.status, answer.text
        assert answer.mimetype == PROBLEM
        assert json(answer).get("rule", "") == request_.rule
        assert json(match.get())["version"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_problem_has_a_page(door: Door, kind: str) -> None:
    """The `type` of a problem is the path of its page."""
    assert door.get(f"/problems/{kind}").status_code == 200


def test_a_wrong_header_is_named_as_a_parameter(match: Door) -> None:
    [place] = json(match.get("stream", headers={"Last-Event-ID": "abc"}))["errors"]

    assert place["parameter"] == "Last-Event-ID"
    assert set(place) == {"parameter", "detail"}


NO_SUCH_SEAT = {
    "joinMatch": ("POST", "seats/3", "", {}),
    "putBot": ("POST", "seats/3/bot", "owner", {}),
    "dismissBot": ("DELETE", "seats/3/bot", "owner", None),
    "erasePlayer": ("DELETE", "players/3", "owner", None),
    "getState": ("GET", "state?seat=3", "", None),
    "tryLine": ("POST", "lines", "seat:0", {"version": 1, "moves": [], "seat": 3}),
}


@pytest.mark.parametrize("name", NO_SUCH_SEAT)
def test_a_seat_beyond_the_last_is_not_there(match: Door, name: str) -> None:
    """Reads and writes refuse a seat beyond the last, and name the existing seats."""
    method, path, who, body = NO_SUCH_SEAT[name]
    answer = match.ask(method, path, who, **({} if body is None else {"json": body}))

    check(ROUTES[name], answer, 404, "no-such-seat")
    assert json(answer)["detail"] == "The match has the seats 0 to 2."


SAID = {
    "id": ("/v1/matches/abc", "26 characters"),
    "id-in-capitals": (f"/v1/matches/{'A' * 26}/state", "26 characters"),
    "version": (f"/v1/matches/{ID}/commits/last", "a version is a whole number"),
    "audited-version": (f"/v1/matches/{ID}/audits/last", "a version is a whole number"),
    "seat": (f"/v1/matches/{ID}/players/16", "0 to 15"),
    "held-seat": (f"/v1/matches/{ID}/seats/x/bot", "0 to 15"),
    "key-of-a-player": ("/v1/players/xyz", "64 digits of lower-case hex"),
    "page-of-a-player": (f"/players/{'A' * 64}", "bot:greedy"),
    "holder": (f"/v1/matches/{ID}/tokens/seat0", "seat:N"),
    "holder-with-a-zero": (f"/v1/matches/{ID}/tokens/seat:01", "seat:N"),
    "holder-beyond-all-seats": (f"/v1/matches/{ID}/tokens/seat:16", "seat:N"),
    "game": ("/v1/games/chess", "calimala, firenze"),
    "elsewhere": ("/v2/matches", "/openapi.json"),
    "no-such-part": (f"/v1/matches/{ID}/history", "/openapi.json"),
}
WORDS_OF_THE_FRAMEWORK = ("spelling", "URL", "manually", "werkzeug", "server")


@pytest.mark.parametrize(("path", "reason"), SAID.values(), ids=SAID)
def test_a_path_that_leads_nowhere_says_why(door: Door, path: str, reason: str) -> None:
    """A 404 describes the wrong part of the path, in our own words."""
    answer = door.ask("DELETE" if "players" in path else "GET", path)

    assert problem(answer) == (404, "not-found")
    assert reason in json(answer)["detail"]
    for word in WORDS_OF_THE_FRAMEWORK:
        assert word not in json(answer)["detail"]


def malformed_paths() -> Iterator[Any]:
    """Yield the path of each operation with one wrong part, and the right form of this part."""
    app = quiet_app()
    for rule in app.url_map.iter_rules():
        operation = operation_of(app.view_functions[rule.endpoint])
        if operation is None:
            continue
        for kind, name in PATH_PART.findall(rule.rule):
            path = filled(rule.rule, {**VALUES, "match": ID, name: "!"})
            converter = app.url_map.converters[kind or "default"]
            form = getattr(converter, "form", "Games: calimala, firenze")
            yield pytest.param(operation.name, path, form, id=f"{operation.name}-{name}")


@pytest.mark.parametrize(("name", "path", "form"), list(malformed_paths()))
def test_a_malformed_part_of_a_path_is_told_its_form(
    door: Door, name: str, path: str, form: str
) -> None:
    answer = door.ask(ROUTES[name].method, path, json={})

    assert problem(answer) == (404, "not-found")
    assert form
    assert form in json(answer)["detail"]


OF_A_GAME = [
    name
    for name, route in ROUTES.items()
    if "game" in [one.name for one in route.operation.parameters]
]


@pytest.mark.parametrize("name", OF_A_GAME)
def test_an_unknown_game_is_refused_with_the_known_ones(door: Door, name: str) -> None:
    answer = ROUTES[name].send(door, query="?game=chess")

    check(ROUTES[name], answer, 422, "invalid-request")
    assert json(answer)["errors"] == [
        {"parameter": "game", "detail": f"must be one of {', '.join(GAMES)}"}
    ]


@pytest.mark.parametrize("path", ["/matches/abc", "/v2/matches", "/rules/chess"])
def test_people_read_a_problem_as_a_page(door: Door, path: str) -> None:
    """A request like a browser's gets a page without scripts. Any other gets the problem.

    Below `/v1` a problem is always JSON.
    """
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    page = door.get(path, headers={"Accept": browser})

    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert "<h1>Not found</h1>" in page.text
    assert "<script" not in page.text
    assert "script-src" not in page.headers["Content-Security-Policy"]
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    for accept in ("*/*", "application/json", "application/problem+json"):
        assert problem(door.get(path, headers={"Accept": accept})) == (404, "not-found")
    assert problem(door.get("/v1/matches/abc", headers={"Accept": browser})) == (404, "not-found")


def test_an_illegal_move_leads_to_its_rule_and_to_the_legal_ones(match: Door) -> None:
    """The refusal links to the rule and the legal moves. It has the match's version and a code."""
    for seat in range(3):
        match.move(f"seat:{seat}")

    refusal = json(match.post("moves", {"type": "take_action_card", "card": "wood"}, "seat:0"))

    page, _, anchor = refusal["rule_url"].partition("#")
    assert refusal["version"] == 4
    assert refusal["code"]
    assert match.get(refusal["legal_moves"], "seat:0").status_code == 200
    assert anchor == refusal["rule"]
    assert f'id="{anchor}"' in match.get(page).text
