"""Bad input is a 4xx problem that names the place and what would be right; nothing changes."""

from dataclasses import dataclass, field
from io import BytesIO
from json import dumps
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.service.api.conftest import THREE, Door, json, opened, problem

ID = "a" * 26
PLACE = '{"type":"place_disc","street":"0-1","disc":"white"}'
DEEP = "[" * 40 + "]" * 40
JSON = "application/json"
PROBLEM = "application/problem+json"


def pointers(told: dict[str, Any]) -> list[str]:
    """Return the places that a problem names."""
    return [place["pointer"] for place in told.get("errors", [])]


BODIES: dict[str, tuple[bytes, int, str]] = {
    "empty": (b"", 400, ""),
    "not-json": (b"move!", 400, ""),
    "half": (PLACE[:-4].encode(), 400, ""),
    "nan": (b'{"type": NaN}', 400, ""),
    "infinity": (b'{"type": -Infinity}', 400, ""),
    "fraction": (b'{"type": 1.5}', 400, ""),
    "twice": (b'{"type": "skip", "type": "skip"}', 400, ""),
    "deep": (f'{{"type": {DEEP}}}'.encode(), 400, ""),
    "very-deep": (b'{"type": ' + b"[" * 30_000, 400, ""),
    "not-utf8": (b'{"type": "\xff\xfe"}', 400, ""),
    "utf16": ('{"type": "skip"}'.encode("utf-16"), 400, ""),
    "byte-order-mark": ('\ufeff{"type": "skip"}'.encode(), 400, ""),
    "surrogate": (b'{"type": "skip", "action": "\\ud800"}', 422, "/action"),
    "surrogate-name": (b'{"type": "skip", "\\udfff": 1}', 422, ""),
    "huge-number": (
        b'{"type": "give_up_disc", "street": "0-1", "position": 9007199254740993}',
        422,
        "/position",
    ),
    "enormous-number": (b'{"position": ' + b"9" * 5000 + b"}", 400, ""),
    "list": (b"[]", 422, ""),
    "null": (b"null", 422, ""),
    "no-type": (b"{}", 422, "/type"),
    "type-of-another-kind": (b'{"type": ["skip"]}', 422, "/type"),
    "unknown-type": (b'{"type": "castle"}', 422, "/type"),
    "house-move": (b'{"type": "score"}', 422, "/type"),
    "lobby-move": (b'{"type": "reveal"}', 422, "/type"),
    "seat": (b'{"type": "end_activation", "seat": 0}', 422, "/seat"),
    "unknown-field": (b'{"type": "end_activation", "a/b~c": 0}', 422, "/a~1b~0c"),
    "missing-field": (b'{"type": "place_disc", "street": "0-1"}', 422, "/disc"),
    "unknown-street": (PLACE.replace("0-1", "0-8").encode(), 422, "/street"),
    "unknown-card": (b'{"type": "keep_scoring_card", "card": "ace"}', 422, "/card"),
    "number-for-text": (b'{"type": "keep_scoring_card", "card": 7}', 422, "/card"),
    "truth-for-number": (
        b'{"type": "give_up_disc", "street": "0-1", "position": true}',
        422,
        "/position",
    ),
    "deep-place": (
        b'{"type": "perform", "action": "ship", "cities": ["lisbon", "rome"]}',
        422,
        "/cities/1",
    ),
    "too-large": (b'{"type": "' + b"x" * 70_000 + b'"}', 413, ""),
}


@pytest.mark.parametrize(("body", "status", "place"), BODIES.values(), ids=BODIES)
def test_a_body_that_cannot_be_read(match: Door, body: bytes, status: int, place: str) -> None:
    """Whatever bytes are sent as a move, the answer says where they are wrong."""
    answer = match.ask("POST", "moves", "seat:0", data=body, content_type=JSON)

    problem_told = json(answer)
    places = [place] if status == 422 else []
    assert answer.status_code == status
    assert answer.mimetype == PROBLEM
    assert problem_told["detail"]
    assert pointers(problem_told) == places
    assert json(match.get())["version"] == 1


def state_shown_to_a_forged_token(door: Door, match: str) -> TestResponse:
    """Return the answer to somebody who asks for a match's state with a token made up for it."""
    forged_token = f"gio_{match}_{'A' * 43}"
    return door.get(f"/v1/matches/{match}/state", forged_token)


def test_a_chunked_body_is_not_cut_where_it_gets_too_long(match: Door) -> None:
    """A legal move, room behind it, and garbage beyond the limit: too large, no legal move."""
    move = dumps(match.moves("seat:0")[0]).encode()
    body = move + b" " * 70_000 + b"garbage"

    answer = match.ask(
        "POST",
        "moves",
        "seat:0",
        input_stream=BytesIO(body),
        content_type=JSON,
        environ_overrides={"wsgi.input_terminated": True},
    )

    assert answer.status_code == 413
    assert json(match.get())["version"] == 1


def test_no_problem_speaks_of_python(match: Door) -> None:
    """A number of 5,000 digits is refused in terms of the request."""
    body = b'{"a": ' + b"9" * 5000 + b"}"

    answer = match.ask("POST", "moves", "seat:0", data=body, content_type=JSON)

    assert "too large a number" in json(answer)["detail"]
    assert "sys." not in answer.text


def test_a_made_up_token_does_not_tell_whether_a_match_is_there(door: Door) -> None:
    """A private match and none answer a forged token alike."""
    opened(door, seats=THREE, visibility="private")

    private = state_shown_to_a_forged_token(door, door.match)
    none = state_shown_to_a_forged_token(door, ID)

    assert private.status_code == 401
    assert none.status_code == 401
    assert json(private) == json(none)


PARAMETERS: dict[str, tuple[str, dict[str, str], str]] = {
    "wrong": ("state?version=0", {}, "version"),
    "unknown": ("state?versoin=1", {}, "versoin"),
    "doubled": ("state?version=1&version=1", {}, "version"),
    "missing": ("diff", {}, "from"),
    "of-no-event": ("commits?type=castled", {}, "type"),
    "header": ("stream", {"Last-Event-ID": "abc"}, "Last-Event-ID"),
}


@pytest.mark.parametrize(("path", "headers", "name"), PARAMETERS.values(), ids=PARAMETERS)
def test_a_wrong_parameter_is_named(
    match: Door, path: str, headers: dict[str, str], name: str
) -> None:
    """`parameter` is its bare name; `pointer` still tells it as the first release did."""
    answer = match.get(path, headers=headers)

    assert answer.status_code == 422
    [place] = json(answer)["errors"]
    assert place["parameter"] == name
    assert place["pointer"] == (name if headers else f"?{name}")


def test_a_wrong_place_of_a_body_is_no_parameter(match: Door) -> None:
    """A JSON pointer alone says where it is."""
    [place] = json(match.post("moves", {"type": "castle"}, "seat:0"))["errors"]

    assert set(place) == {"pointer", "detail"}


@dataclass(frozen=True)
class Refused:
    """A request and the status of its refusal; @ in a header stands for the match's id."""

    method: str
    path: str
    status: int
    who: str = ""
    headers: dict[str, str] = field(default_factory=dict)


OPENING: dict[str, tuple[dict[str, Any], str]] = {
    "no-game": ({"seats": THREE}, "/game"),
    "unknown-game": ({"game": "go", "seats": THREE}, "/game"),
    "no-seats": ({"game": "calimala"}, "/seats"),
    "too-few-seats": ({"game": "calimala", "seats": THREE[:2]}, "/seats"),
    "too-many-seats": ({"game": "calimala", "seats": THREE * 2}, "/seats"),
    "seats-of-another-kind": ({"game": "calimala", "seats": "three"}, "/seats"),
    "seat-of-another-kind": ({"game": "calimala", "seats": [*THREE[:2], "me"]}, "/seats/2"),
    "unknown-kind": ({"game": "calimala", "seats": [*THREE[:2], {"kind": "cat"}]}, "/seats/2/kind"),
    "bot-level": (
        {"game": "calimala", "seats": [*THREE[:2], {"kind": "bot", "level": "x"}]},
        "/seats/2/level",
    ),
    "open-with-name": (
        {"game": "calimala", "seats": [*THREE[:2], {"kind": "open", "name": "x"}]},
        "/seats/2/name",
    ),
    "control-characters": (
        {"game": "calimala", "seats": [*THREE[:2], {"kind": "human", "name": "\n"}]},
        "/seats/2/name",
    ),
    "next-line": (
        {"game": "calimala", "seats": [*THREE[:2], {"kind": "human", "name": "\x85"}]},
        "/seats/2/name",
    ),
    "line-end": (
        {"game": "calimala", "seats": [*THREE[:2], {"kind": "human", "entropy": "ab\n"}]},
        "/seats/2/entropy",
    ),
    "unknown-option": (
        {"game": "calimala", "seats": THREE, "options": {"speed": 1}},
        "/options/speed",
    ),
    "option-value": (
        {"game": "calimala", "seats": THREE, "options": {"layout": "round"}},
        "/options/layout",
    ),
    "option-of-another-kind": (
        {"game": "calimala", "seats": THREE, "options": {"layout": []}},
        "/options/layout",
    ),
    "options-of-another-kind": ({"game": "calimala", "seats": THREE, "options": []}, "/options"),
    "visibility": ({"game": "calimala", "seats": THREE, "visibility": "secret"}, "/visibility"),
    "unknown-field": ({"game": "calimala", "seats": THREE, "clock": 5}, "/clock"),
    "flag": (
        {"game": "firenze", "seats": THREE, "options": {"campanile": "yes"}},
        "/options/campanile",
    ),
    "number": (
        {"game": "firenze", "seats": THREE, "options": {"turn_limit": 10**6}},
        "/options/turn_limit",
    ),
    "data": ({"game": "firenze", "seats": THREE, "options": {"board": []}}, "/options/board"),
}


@pytest.mark.parametrize(("body", "place"), OPENING.values(), ids=OPENING)
def test_a_match_that_cannot_be_opened(door: Door, body: dict[str, Any], place: str) -> None:
    """Every wrong place of the request is named, and nothing is opened."""
    answer = door.post("/v1/matches", body)

    assert answer.status_code == 422
    assert place in pointers(json(answer))
    assert json(door.get("/v1/matches"))["matches"] == []


REQUESTS: dict[str, Refused] = {
    "unknown-match": Refused("GET", f"/v1/matches/{ID}", 404),
    "no-match-id": Refused("GET", "/v1/matches/nothing/state", 404),
    "odd-path": Refused("GET", "/v1/matches/%00%ff/state", 404),
    "unknown-path": Refused("GET", "/v2", 404),
    "unknown-game": Refused("GET", "/v1/games/go", 404),
    "empty-step": Refused("GET", "/v1//matches", 404),
    "wrong-method": Refused("PUT", "", 405),
    "unknown-parameter": Refused("GET", "state?versoin=1", 422),
    "doubled-parameter": Refused("GET", "state?version=1&version=1", 422),
    "version-zero": Refused("GET", "state?version=0", 422),
    "version-spaces": Refused("GET", "state?version=%201", 422),
    "verbose-line-end": Refused("GET", "/readyz?verbose=%0A", 422),
    "version-leading-zero": Refused("GET", "state?version=01", 422),
    "version-text": Refused("GET", "state?version=one", 422),
    "version-other-digits": Refused("GET", "state?version=\u0661", 422),
    "version-to-come": Refused("GET", "state?version=99", 404),
    "moment-text": Refused("GET", "state?at=yesterday", 422),
    "moment-impossible": Refused("GET", "state?at=2026-02-30T00:00:00Z", 422),
    "moment-zone": Refused("GET", "state?at=2026-02-20T00:00:00%2B14:60", 422),
    "moment-plus-as-space": Refused("GET", "state?at=2026-02-20T00:00:00+01:00", 422),
    "moment-before": Refused("GET", "state?at=2020-02-20T00:00:00Z", 404),
    "commit-zero": Refused("GET", "commits/0", 404),
    "commit-leading-zero": Refused("GET", "commits/01", 404),
    "commit-other-digits": Refused("GET", "commits/\u0661", 404),
    "commit-to-come": Refused("GET", "commits/99", 404),
    "no-such-form": Refused("GET", "commits", 406, headers={"Accept": "image/png"}),
    "no-such-stream": Refused("GET", "stream", 406, headers={"Accept": "application/json"}),
    "diff-from-nowhere": Refused("GET", "diff", 422),
    "story-form": Refused("GET", "story", 406, headers={"Accept": "image/png"}),
    "story-limit": Refused("GET", "story?limit=0", 422),
    "story-limit-too-high": Refused("GET", "story?limit=5001", 422),
    "story-after": Refused("GET", "story?after=-1", 422),
    "story-moment": Refused("GET", "story?from=yesterday", 422),
    "story-of-an-actor": Refused("GET", "story?actor=seat:0", 422),
    "story-wait-too-long": Refused("GET", "story?wait=61", 422),
    "story-of-no-match": Refused("GET", f"/v1/matches/{ID}/story", 404),
    "cursor": Refused("GET", "/v1/matches?cursor=abc", 422),
    "status": Refused("GET", "/v1/matches?status=lost", 422),
    "wait-too-long": Refused("GET", "state?wait=3600", 422),
    "if-match": Refused("POST", "moves", 422, who="seat:0", headers={"If-Match": 'w"1"'}),
    "if-match-list": Refused("POST", "moves", 422, who="seat:0", headers={"If-Match": '"1", "2"'}),
    "two-keys": Refused("POST", "moves", 422, who="seat:0", headers={"Idempotency-Key": "a,b"}),
    "last-event-id": Refused("GET", "stream", 422, headers={"Last-Event-ID": "abc"}),
    "basic": Refused("GET", "", 401, headers={"Authorization": "Basic Zm9v"}),
    "no-token": Refused("GET", "", 401, who="gio_"),
    "unknown-token": Refused(
        "GET", "", 401, headers={"Authorization": "Bearer gio_@" + "_" + "A" * 43}
    ),
    "form": Refused(
        "POST",
        "moves",
        415,
        who="seat:0",
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    ),
    "move-without-token": Refused("POST", "moves", 401),
    "move-of-the-owner": Refused("POST", "moves", 403, who="owner"),
    "waiting-for-nobody": Refused("GET", "/v1/matches?waiting_for=me", 401),
    "odd-tokens": Refused(
        "GET", "/v1/matches?waiting_for=me", 422, headers={"Giornale-Tokens": "a,b"}
    ),
    "unknown-problem": Refused("GET", "/problems/none", 404),
    "unknown-rules": Refused("GET", "/rules/..", 404),
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_request_that_is_refused(match: Door, request_: Refused) -> None:
    """Every refusal is a problem of a kind that has a page, and the match is as it was."""
    answer = send(match, request_)

    told = json(answer)
    kind_page = match.get(told["type"])
    assert answer.status_code == request_.status
    assert answer.mimetype == PROBLEM
    assert told["status"] == request_.status
    assert kind_page.status_code == 200
    assert ("WWW-Authenticate" in answer.headers) == (request_.status == 401)
    assert json(match.get())["version"] == 1


def send(match: Door, request: Refused) -> TestResponse:
    """Send a request; a POST that names no other type has a JSON body."""
    headers = {name: text.replace("@", match.match) for name, text in request.headers.items()}
    body: dict[str, Any] = {}
    if request.method == "POST" and "Content-Type" not in headers:
        body = {"json": {"type": "end_activation"}}

    return match.ask(
        request.method,
        request.path,
        request.who,
        headers=headers,
        **body,
    )


def test_a_token_of_another_match_is_refused(match: Door) -> None:
    """A token opens its own match alone."""
    other = json(match.post("/v1/matches", {"game": "calimala", "seats": THREE}))
    token = other["tokens"]["seat:0"]

    looked = match.get("state", token)
    moved = match.post("moves", {"type": "end_activation"}, token)

    assert looked.status_code == 403
    assert moved.status_code == 403


def test_an_illegal_move_is_told_where_the_legal_ones_are(match: Door) -> None:
    """With the version of the match, and a code that a program can read."""
    for seat in range(3):
        match.move(f"seat:{seat}")

    illegal = {"type": "take_action_card", "card": "wood"}
    answer = match.post("moves", illegal, "seat:0")

    assert problem(answer) == (409, "illegal-move")
    told = json(answer)
    assert told["version"] == 4
    assert told["code"]
    legal_moves = match.get(told["legal_moves"], "seat:0")
    assert legal_moves.status_code == 200


def test_the_rule_that_an_illegal_move_breaks_can_be_read(match: Door) -> None:
    """The refusal leads to the very paragraph of the rules."""
    for seat in range(3):
        match.move(f"seat:{seat}")

    illegal = {"type": "take_action_card", "card": "wood"}
    told = json(match.post("moves", illegal, "seat:0"))

    page, _, anchor = told["rule_url"].partition("#")
    assert anchor == told["rule"]
    assert f'id="{anchor}"' in match.get(page).text
