"""Retries: the first answer again, whatever has happened since."""

import hmac
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.running import PATIENCE
from tests.service.api.conftest import KEY, THREE, Door, json, opened, problem

HEADER = {"Idempotency-Key": KEY}
OTHER_HEADER = {"Idempotency-Key": KEY[::-1]}
REUSED = (422, "idempotency-key-reused")


def open_body(**more: Any) -> dict[str, Any]:
    """Return a request for a match of three humans, of whom one has a name."""
    seats = [{"kind": "human", "name": "Cosimo"}, *THREE[1:]]
    return {"game": "calimala", "seats": seats, **more}


def test_opening_again_gives_the_first_answer_to_the_byte(door: Door) -> None:
    """Match, tokens and names come again although nobody has kept the tokens.

    The match may have moved on meanwhile.
    """
    first = door.post("/v1/matches", open_body(), headers=HEADER)
    door.match = json(first)["id"]
    door.tokens = json(first)["tokens"]

    assert door.move("seat:0").status_code == 201

    again = door.post("/v1/matches", open_body(), headers=HEADER)

    assert again.status_code == 201
    assert again.data == first.data
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["Location"] == first.headers["Location"]


@pytest.mark.parametrize(
    "other",
    [
        {"visibility": "private"},
        {"advice": True},
        {"take_back": "own"},
        {"clock": {"bank_s": 60, "move_s": 5, "level": "greedy"}},
    ],
)
def test_opening_another_match_with_the_key_is_refused(door: Door, other: dict[str, Any]) -> None:
    """A key stands for one request."""
    door.post("/v1/matches", open_body(), headers=HEADER)

    answer = door.post("/v1/matches", open_body(**other), headers=HEADER)

    assert problem(answer) == REUSED


def test_a_move_sent_again_moves_once(match: Door) -> None:
    """The same key and body get the first commit, also when the move is illegal by now."""
    move = match.moves("seat:0")[0]
    headers = {"Idempotency-Key": "k", "If-Match": '"1"'}

    first = match.post("moves", move, "seat:0", headers=headers)
    match.move("seat:1")
    again = match.post("moves", move, "seat:0", headers=headers)

    assert again.status_code == 201
    assert again.data == first.data
    assert again.headers["Idempotent-Replayed"] == "true"
    assert json(match.get())["version"] == 3


def test_joining_again_gives_the_token_again(lobby: Door) -> None:
    """A lost answer costs nobody a seat (M2)."""
    guest = {"name": "Piero"}
    first = lobby.post("seats/1", guest, headers=HEADER)
    again = lobby.post("seats/1", guest, headers=HEADER)

    assert first.status_code == 201
    assert again.status_code == 201
    assert again.data == first.data

    token = json(again)["token"]
    state = lobby.get("state", token)
    assert state.headers["ETag"].startswith('"2;seat:1;')


def key_of(request: str) -> dict[str, str]:
    """Return the header with the key of one request in a match that an earlier release began."""
    return {"Idempotency-Key": f"the-key-of-an-earlier-release-{request}"}


# What the first release stored for the requests below: the version that each made, and what tells
# it from another request with the same key. `OWNER_TOKEN` is what it answered.
MATCH = "h34eznt432pnrjekiyanpvzuuy"
OWNER_TOKEN = f"gio_{MATCH}_6sY2-NRC9LreqLZBfS9VfkQXngcuX0-U7gVx3mRSDsA"
SEAT_TOKEN = f"gio_{MATCH}_PkIkrl97VuNYi16VAYFK1fpLNQ38U9eirYGkQ2WxTSg"
STORED = {
    "open": (1, "52af1ee6d7a9e76f279accee08c2cff0"),
    "public:the-key-of-an-earlier-release-1": (2, "084ae04f3d0c09874179a849f9ddadd5"),
    "owner:the-key-of-an-earlier-release-2": (3, "2cceafb7d7654ad8d06c7962c0d200e8"),
    "owner:the-key-of-an-earlier-release-3": (4, "c9c357b47135b6c0df67850848cf1130"),
}


def test_keys_outlive_an_upgrade(door: Door) -> None:
    """What a repeat is known by is what the first release stored, and so are ids and tokens.

    A release that changed any of it would answer a repeat over an upgrade with another match, or
    with 422.
    """
    seats = [{"kind": "human", "name": "Cosimo"}, {"kind": "open"}, {"kind": "open"}]
    body = {"game": "calimala", "seats": seats, "options": {}, "seed": "seed"}
    opening = json(door.post("/v1/matches", body, headers=key_of("0")))
    door.match, door.tokens = opening["id"], opening["tokens"]
    joining = json(door.post("seats/1", {"name": "Piero"}, headers=key_of("1")))
    door.post("seats/2/bot", {"level": "greedy"}, "owner", headers=key_of("2"))
    door.ask("POST", "start", "owner", headers=key_of("3"))

    assert opening["id"] == MATCH
    assert opening["tokens"]["owner"] == OWNER_TOKEN
    assert joining["token"] == SEAT_TOKEN
    assert door.ctx.journal.metadata.dump(MATCH).ids == STORED


def test_a_refused_answer_is_not_stored(door: Door) -> None:
    """A key under which nothing was done is free for the next request, the same or another."""
    unreadable = {"game": "chess", "seats": THREE}
    assert door.post("/v1/matches", unreadable, headers=HEADER).status_code == 422
    match = json(door.post("/v1/matches", open_body(), headers=HEADER))
    door.match, door.tokens = match["id"], match["tokens"]

    illegal = door.post("moves", {"type": "end_activation"}, "seat:0", headers=HEADER)
    again = door.post("moves", {"type": "end_activation"}, "seat:0", headers=HEADER)
    legal = door.move("seat:0", headers=HEADER)

    assert problem(illegal) == problem(again) == (409, "illegal-move")
    assert legal.status_code == 201
    assert "Idempotent-Replayed" not in legal.headers


def test_a_repeat_while_the_first_is_at_hand_is_409(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer says after how long to come back; the first request is answered as ever.

    Requests with other keys, and of other tokens, are not refused for it.
    """
    move = match.moves("seat:0")[0]
    begun = threading.Event()
    go_on = threading.Event()
    append = match.ctx.journal.events.append

    def append_slowly(entry: Any) -> Any:
        begun.set()
        assert go_on.wait(PATIENCE)
        return append(entry)

    def send() -> TestResponse:
        return match.post("moves", move, "seat:0", headers=HEADER)

    monkeypatch.setattr(match.ctx.journal.events, "append", append_slowly)
    with ThreadPoolExecutor(1) as another:
        first = another.submit(send)
        assert begun.wait(PATIENCE)
        second = send()
        with_another_key = match.post("moves", {"type": "fly"}, "seat:0", headers=OTHER_HEADER)
        by_another = match.post("moves", {"type": "fly"}, "seat:1", headers=HEADER)
        go_on.set()

    assert problem(second) == (409, "request-in-progress")
    assert second.headers["Retry-After"] == "1"
    assert with_another_key.status_code == by_another.status_code == 422
    assert first.result().status_code == 201
    assert send().headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize(
    "key", ["short", '"quoted"', "with space in the middle", "\u00fc" * 16, "k" * 256]
)
def test_a_key_that_could_be_guessed_or_misread_opens_nothing(door: Door, key: str) -> None:
    """The key stands for the tokens: it must be long enough, and plain."""
    answer = door.post("/v1/matches", open_body(), headers={"Idempotency-Key": key})

    assert problem(answer) == (422, "invalid-request")
    assert json(answer)["errors"][0]["pointer"] == "Idempotency-Key"


OF_BOTS_ALONE = "0ffb1d6819dd0dca345306a90ee10003"  # whose levels the request leaves out


def test_a_default_that_is_left_out_is_part_of_the_request(door: Door) -> None:
    """The level of a bot that a request does not name is what it was in the first release."""
    body = {"game": "calimala", "seats": [{"kind": "bot"}] * 3, "seed": "seed"}
    match = json(door.post("/v1/matches", body, headers=key_of("5")))["id"]

    assert door.ctx.journal.metadata.dump(match).ids["open"] == (1, OF_BOTS_ALONE)


@pytest.mark.parametrize(
    ("method", "path", "body", "released"),
    [
        ("POST", "start", None, '["Start()"]'),
        ("POST", "abort", None, '["Abort()"]'),
        ("POST", "seats/1/bot", {"level": "greedy"}, "[\"Replace(seat=1, level='greedy')\"]"),
        ("DELETE", "seats/0/bot", None, '["Restore(seat=0)"]'),
    ],
)
def test_what_is_stored_with_the_keys_of_an_owner_stays(
    door: Door, method: str, path: str, body: Any, released: str
) -> None:
    """A repeat counts as one over an upgrade: this is what the first release made digests of."""
    last_seat = {"kind": "open" if path == "start" else "human"}
    opened(door, seats=[{"kind": "human"}, {"kind": "human"}, last_seat])
    if path == "start":
        door.post("seats/2/bot", {"level": "random"}, "owner")
    if method == "DELETE":
        door.post("seats/0/bot", {"level": "random"}, "owner")

    sent = {} if body is None else {"json": body}
    assert door.ask(method, path, "owner", headers=HEADER, **sent).status_code in (200, 201)

    stored = hmac.digest(b"", released.encode(), "sha256").hex()[:32]
    made = door.ctx.journal.events.version_made(door.match, f"owner:{KEY}", stored)
    assert made == json(door.get())["version"]


def test_a_repeated_opening_tells_no_dead_token(door: Door) -> None:
    """Those that were replaced or revoked since are left out."""
    first = json(door.post("/v1/matches", open_body(), headers=HEADER))
    door.match, door.tokens = first["id"], first["tokens"]
    assert door.post("tokens", {"holder": "seat:1"}, "owner").status_code == 201
    assert door.delete("tokens/seat:2", "seat:2").status_code == 204

    again = json(door.post("/v1/matches", open_body(), headers=HEADER))

    assert again["tokens"] == {name: first["tokens"][name] for name in ("owner", "seat:0")}


@pytest.mark.parametrize("change", ["replaced", "revoked", "left"])
def test_a_repeated_join_tells_no_dead_token(lobby: Door, change: str) -> None:
    """It is refused; a new key joins again if the seat is open."""
    joined = lobby.post("seats/1", {}, headers=OTHER_HEADER)
    token = json(joined)["token"]
    assert json(lobby.post("seats/1", {}, headers=OTHER_HEADER))["token"] == token
    path = f"/v1/matches/{lobby.match}"
    changed = {
        "replaced": lambda: lobby.post(f"{path}/tokens", {"holder": "seat:1"}, "owner"),
        "revoked": lambda: lobby.delete(f"{path}/tokens/seat:1", "owner"),
        "left": lambda: lobby.delete(f"{path}/seats/1", token),
    }[change]()
    assert changed.status_code < 300

    again = lobby.post("seats/1", {}, headers=OTHER_HEADER)

    assert problem(again) == REUSED
    assert "no longer counts" in json(again)["detail"]
    once_more = lobby.post("seats/1", {}, headers=HEADER)
    assert once_more.status_code == (201 if change == "left" else 409)
