"""Bad input is a 4xx problem that names the place and what would be right; nothing changes."""

from io import BytesIO
from json import dumps
from typing import Any

import pytest

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

    told = json(answer)
    assert answer.status_code == status
    assert answer.mimetype == PROBLEM
    assert told["detail"]
    assert pointers(told) == ([place] if status == 422 else [])
    assert json(match.get())["version"] == 1


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

    private, none = [
        door.get(f"/v1/matches/{match}/state", f"gio_{match}_{'A' * 43}")
        for match in (door.match, ID)
    ]

    assert private.status_code == 401
    assert none.status_code == 401
    assert json(private) == json(none)


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


REQUESTS: dict[str, tuple[str, str, str, dict[str, str], int]] = {
    "unknown-match": ("GET", f"/v1/matches/{ID}", "", {}, 404),
    "no-match-id": ("GET", "/v1/matches/nothing/state", "", {}, 404),
    "odd-path": ("GET", "/v1/matches/%00%ff/state", "", {}, 404),
    "unknown-path": ("GET", "/v2", "", {}, 404),
    "unknown-game": ("GET", "/v1/games/go", "", {}, 404),
    "empty-step": ("GET", "/v1//matches", "", {}, 404),
    "wrong-method": ("PUT", "", "", {}, 405),
    "unknown-parameter": ("GET", "state?versoin=1", "", {}, 422),
    "doubled-parameter": ("GET", "state?version=1&version=1", "", {}, 422),
    "version-zero": ("GET", "state?version=0", "", {}, 422),
    "version-spaces": ("GET", "state?version=%201", "", {}, 422),
    "verbose-line-end": ("GET", "/readyz?verbose=%0A", "", {}, 422),
    "version-leading-zero": ("GET", "state?version=01", "", {}, 422),
    "version-text": ("GET", "state?version=one", "", {}, 422),
    "version-other-digits": ("GET", "state?version=\u0661", "", {}, 422),
    "version-to-come": ("GET", "state?version=99", "", {}, 404),
    "moment-text": ("GET", "state?at=yesterday", "", {}, 422),
    "moment-impossible": ("GET", "state?at=2026-02-30T00:00:00Z", "", {}, 422),
    "moment-zone": ("GET", "state?at=2026-02-20T00:00:00%2B14:60", "", {}, 422),
    "moment-plus-as-space": ("GET", "state?at=2026-02-20T00:00:00+01:00", "", {}, 422),
    "moment-before": ("GET", "state?at=2020-02-20T00:00:00Z", "", {}, 404),
    "commit-zero": ("GET", "commits/0", "", {}, 404),
    "commit-leading-zero": ("GET", "commits/01", "", {}, 404),
    "commit-other-digits": ("GET", "commits/\u0661", "", {}, 404),
    "commit-to-come": ("GET", "commits/99", "", {}, 404),
    "no-such-form": ("GET", "commits", "", {"Accept": "image/png"}, 406),
    "no-such-stream": ("GET", "stream", "", {"Accept": "application/json"}, 406),
    "diff-from-nowhere": ("GET", "diff", "", {}, 422),
    "cursor": ("GET", "/v1/matches?cursor=abc", "", {}, 422),
    "status": ("GET", "/v1/matches?status=lost", "", {}, 422),
    "wait-too-long": ("GET", "state?wait=3600", "", {}, 422),
    "if-match": ("POST", "moves", "seat:0", {"If-Match": 'w"1"'}, 422),
    "if-match-list": ("POST", "moves", "seat:0", {"If-Match": '"1", "2"'}, 422),
    "two-keys": ("POST", "moves", "seat:0", {"Idempotency-Key": "a,b"}, 422),
    "last-event-id": ("GET", "stream", "", {"Last-Event-ID": "abc"}, 422),
    "basic": ("GET", "", "", {"Authorization": "Basic Zm9v"}, 401),
    "no-token": ("GET", "", "gio_", {}, 401),
    "unknown-token": ("GET", "", "", {"Authorization": "Bearer gio_@" + "_" + "A" * 43}, 401),
    "form": ("POST", "moves", "seat:0", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "move-without-token": ("POST", "moves", "", {}, 401),
    "move-of-the-owner": ("POST", "moves", "owner", {}, 403),
    "waiting-for-nobody": ("GET", "/v1/matches?waiting_for=me", "", {}, 401),
    "odd-tokens": ("GET", "/v1/matches?waiting_for=me", "", {"Giornale-Tokens": "a,b"}, 422),
    "unknown-problem": ("GET", "/problems/none", "", {}, 404),
    "unknown-rules": ("GET", "/rules/..", "", {}, 404),
}


@pytest.mark.parametrize(
    ("method", "path", "who", "headers", "status"), REQUESTS.values(), ids=REQUESTS
)
def test_a_request_that_is_refused(
    match: Door, method: str, path: str, who: str, headers: dict[str, str], status: int
) -> None:
    """Every refusal is a problem of a kind that has a page, and the match is as it was."""
    headers = {name: value.replace("@", match.match) for name, value in headers.items()}
    sent: dict[str, Any] = {}
    if method == "POST" and "Content-Type" not in headers:
        sent = {"json": {"type": "end_activation"}}

    answer = match.ask(method, path, who, headers=headers, **sent)

    told = json(answer)
    assert answer.status_code == status
    assert answer.mimetype == PROBLEM
    assert told["status"] == status
    assert match.get(told["type"]).status_code == 200
    assert (status == 401) == ("WWW-Authenticate" in answer.headers)
    assert json(match.get())["version"] == 1


def test_a_token_of_another_match_is_refused(match: Door) -> None:
    """A token opens its own match alone."""
    other = json(match.post("/v1/matches", {"game": "calimala", "seats": THREE}))
    token = other["tokens"]["seat:0"]

    assert match.get("state", token).status_code == 403
    assert match.post("moves", {"type": "end_activation"}, token).status_code == 403


def test_an_illegal_move_names_its_rule(match: Door) -> None:
    """Code, rule and where the rule is; the version; where the legal moves are."""
    for seat in range(3):
        match.move(f"seat:{seat}")

    answer = match.post("moves", {"type": "take_action_card", "card": "wood"}, "seat:0")

    assert problem(answer) == (409, "illegal-move")
    told = json(answer)
    assert told["version"] == 4
    assert told["code"]
    assert match.get(told["legal_moves"], "seat:0").status_code == 200
    page, _, rule = told["rule_url"].partition("#")
    assert rule == told["rule"]
    assert f'id="{rule}"' in match.get(page).text
