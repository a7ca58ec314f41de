"""Retries: the first answer again, in spite of later events."""

import hmac
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from marshmallow import ValidationError
from werkzeug.test import TestResponse

from service.capabilities.agents.tools.table import TOOLS
from tests.running import PATIENCE
from tests.service.api.conftest import KEY, THREE, Door, json, opened, problem
from tests.service.api.test_refusals import ROUTES

HEADER = {"Idempotency-Key": KEY}
OTHER_HEADER = {"Idempotency-Key": KEY[::-1]}
REUSED = (422, "idempotency-key-reused")


def open_body(**more: Any) -> dict[str, Any]:
    """Return a request for a match of three humans, one of them with a name."""
    seats = [{"kind": "human", "name": "Cosimo"}, *THREE[1:]]
    return {"game": "calimala", "seats": seats, **more}


def test_opening_again_gives_the_first_answer_to_the_byte(door: Door) -> None:
    """A repeat returns the same match, tokens and names, although no token is stored.

    The match may have moved on meanwhile.
    """
    first = door.post("/v1/matches", open_body(), headers=HEADER)
    door.match = json(first)["match"]
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
    """An idempotency key belongs to one request, so another body is refused."""
    door.post("/v1/matches", open_body(), headers=HEADER)

    answer = door.post("/v1/matches", open_body(**other), headers=HEADER)

    assert problem(answer) == REUSED


def test_a_move_sent_again_moves_once(match: Door) -> None:
    """The same key and body get the first commit, also when the move is illegal by now."""
    move = match.moves("seat:0")[0]
    headers = {"Idempotency-Key": KEY, "If-Match": '"1"'}

    first = match.post("moves", move, "seat:0", headers=headers)
    match.move("seat:1")
    again = match.post("moves", move, "seat:0", headers=headers)

    assert again.status_code == 201
    assert again.data == first.data
    assert again.headers["Idempotent-Replayed"] == "true"
    assert json(match.get())["version"] == 3


def test_joining_again_gives_the_token_again(lobby: Door) -> None:
    """A player whose answer was lost repeats the join and gets the token (M2)."""
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
    """Return the header with the key of one request in a match begun by an earlier release."""
    return {"Idempotency-Key": f"the-key-of-an-earlier-release-{request}"}


# Stored by the first release for the requests below: the version that each made, and the
# fingerprint of the request. Its answers held OWNER_TOKEN and SEAT_TOKEN.
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
    """Ids, tokens and stored fingerprints equal those of the first release.

    Otherwise a repeat over an upgrade would get another match, or 422.
    """
    seats = [{"kind": "human", "name": "Cosimo"}, {"kind": "open"}, {"kind": "open"}]
    body = {"game": "calimala", "seats": seats, "options": {}, "seed": "seed"}
    opening = json(door.post("/v1/matches", body, headers=key_of("0")))
    door.match, door.tokens = opening["match"], opening["tokens"]
    joining = json(door.post("seats/1", {"name": "Piero"}, headers=key_of("1")))
    door.post("seats/2/bot", {"level": "greedy"}, "owner", headers=key_of("2"))
    door.ask("POST", "start", "owner", headers=key_of("3"))

    assert opening["match"] == MATCH
    assert opening["tokens"]["owner"] == OWNER_TOKEN
    assert joining["token"] == SEAT_TOKEN
    assert door.ctx.journal.metadata.dump(MATCH).ids == STORED


def test_a_refused_answer_is_not_stored(door: Door) -> None:
    """The key of a refused request may be used again, for the same request or another."""
    unreadable = {"game": "chess", "seats": THREE}
    assert door.post("/v1/matches", unreadable, headers=HEADER).status_code == 422
    match = json(door.post("/v1/matches", open_body(), headers=HEADER))
    door.match, door.tokens = match["match"], match["tokens"]

    illegal = door.post("moves", {"type": "end_activation"}, "seat:0", headers=HEADER)
    again = door.post("moves", {"type": "end_activation"}, "seat:0", headers=HEADER)
    legal = door.move("seat:0", headers=HEADER)

    assert problem(illegal) == problem(again) == (409, "illegal-move")
    assert legal.status_code == 201
    assert "Idempotent-Replayed" not in legal.headers


def test_a_repeat_while_the_first_is_at_hand_is_409(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal has a Retry-After. The first request is answered as usual.

    Requests with other keys or tokens are not refused as repeats.
    """
    move = match.moves("seat:0")[0]
    is_running = threading.Event()
    go_on = threading.Event()
    append = match.ctx.journal.events.append

    def append_slowly(entry: Any) -> Any:
        is_running.set()
        assert go_on.wait(PATIENCE)
        return append(entry)

    def send() -> TestResponse:
        return match.post("moves", move, "seat:0", headers=HEADER)

    monkeypatch.setattr(match.ctx.journal.events, "append", append_slowly)
    with ThreadPoolExecutor(1) as another:
        first = another.submit(send)
        assert is_running.wait(PATIENCE)
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
    """Tokens derive from the key, so it must be long enough. It must be plain ASCII."""
    answer = door.post("/v1/matches", open_body(), headers={"Idempotency-Key": key})

    assert problem(answer) == (422, "invalid-request")
    assert json(answer)["errors"][0]["parameter"] == "Idempotency-Key"


def key_readers() -> Iterator[Any]:
    """Yield the readers of all idempotency keys: of headers, and of the arguments of tools."""
    for name, route in ROUTES.items():
        for parameter in route.operation.parameters:
            if parameter.name == "Idempotency-Key":
                yield pytest.param(parameter.read, id=name)
    for name, tool in TOOLS.items():
        if "idempotency_key" in tool.takes.fields:
            yield pytest.param(tool.takes.fields["idempotency_key"].deserialize, id=f"tool-{name}")


@pytest.mark.parametrize("reader", list(key_readers()))
def test_all_keys_have_one_rule(reader: Callable[[str], str]) -> None:
    for number in (16, 255):
        assert reader("k" * number) == "k" * number
    for number in (0, 1, 15, 256):
        with pytest.raises(
            (ValueError, ValidationError), match="must be 16 to 255 visible ASCII characters"
        ):
            reader("k" * number)


OF_BOTS_ALONE = "0ffb1d6819dd0dca345306a90ee10003"  # the request leaves their levels out


def test_a_default_that_is_left_out_is_part_of_the_request(door: Door) -> None:
    """The level of a bot not named in a request is the default of the first release."""
    body = {"game": "calimala", "seats": [{"kind": "bot"}] * 3, "seed": "seed"}
    match = json(door.post("/v1/matches", body, headers=key_of("5")))["match"]

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
def test_keys_stored_by_the_first_release_still_count(
    door: Door, method: str, path: str, body: Any, released: str
) -> None:
    """Fingerprints equal those of the first release, so a repeat after an upgrade is recognized."""
    last_seat = {"kind": "open" if path == "start" else "human"}
    opened(door, seats=[{"kind": "human"}, {"kind": "human"}, last_seat])
    if path == "start":
        door.post("seats/2/bot", {"level": "random"}, "owner")
    if method == "DELETE":
        door.post("seats/0/bot", {"level": "random"}, "owner")

    content = {} if body is None else {"json": body}
    assert door.ask(method, path, "owner", headers=HEADER, **content).status_code in (200, 201)

    stored = hmac.digest(b"", released.encode(), "sha256").hex()[:32]
    version = door.ctx.journal.events.version_made(door.match, f"owner:{KEY}", stored)
    assert version == json(door.get())["version"]


def test_a_repeated_opening_tells_no_dead_token(door: Door) -> None:
    """The repeated answer leaves out tokens that were replaced or revoked meanwhile."""
    first = json(door.post("/v1/matches", open_body(), headers=HEADER))
    door.match, door.tokens = first["match"], first["tokens"]
    assert door.post("tokens", {"holder": "seat:1"}, "owner").status_code == 201
    assert door.delete("tokens/seat:2", "seat:2").status_code == 204

    again = json(door.post("/v1/matches", open_body(), headers=HEADER))

    assert again["tokens"] == {name: first["tokens"][name] for name in ("owner", "seat:0")}


@pytest.mark.parametrize("change", ["replaced", "revoked", "left"])
def test_a_repeated_join_tells_no_dead_token(lobby: Door, change: str) -> None:
    """The repeat is refused. A request with a new key may join if the seat is open."""
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
    assert "no longer works" in json(again)["detail"]
    once_more = lobby.post("seats/1", {}, headers=HEADER)
    assert once_more.status_code == (201 if change == "left" else 409)
