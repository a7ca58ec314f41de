"""Retries: the first answer again, whatever has happened since."""

import threading
from typing import Any

import pytest

from service.api.http.inflight import once_at_a_time
from service.errors import InProgress
from tests.service.api.conftest import KEY, THREE, Door, json, opened

HEADER = {"Idempotency-Key": KEY}


def open_body(**more: Any) -> dict[str, Any]:
    return {"game": "calimala", "seats": [{"kind": "human", "name": "Cosimo"}, *THREE[1:]], **more}


def test_opening_again_gives_the_first_answer_to_the_byte(door: Door) -> None:
    """Match, tokens and names come again although nobody has kept the tokens, even after the match has moved on."""
    first = door.post("/v1/matches", open_body(), headers=HEADER)
    door.match, door.tokens = json(first)["id"], json(first)["tokens"]
    assert door.move("seat:0").status_code == 201
    again = door.post("/v1/matches", open_body(), headers=HEADER)
    assert (again.status_code, again.data) == (201, first.data)
    assert (first.headers.get("Idempotent-Replayed"), again.headers["Idempotent-Replayed"]) == (
        None,
        "true",
    )
    assert again.headers["Location"] == first.headers["Location"]


def test_without_a_key_every_request_opens_a_match(door: Door) -> None:
    """Two requests, two matches with two sets of tokens."""
    first, second = (json(door.post("/v1/matches", open_body())) for _ in range(2))
    assert first["id"] != second["id"]
    assert not set(first["tokens"].values()) & set(second["tokens"].values())


def test_opening_another_match_with_the_key_is_refused(door: Door) -> None:
    """A key stands for one request."""
    door.post("/v1/matches", open_body(), headers=HEADER)
    answer = door.post("/v1/matches", open_body(visibility="private"), headers=HEADER)
    assert (answer.status_code, json(answer)["type"]) == (422, "/problems/idempotency-key-reused")


@pytest.mark.parametrize(
    "key", ["short", '"quoted"', "with space in the middle", "ü" * 16, "k" * 256]
)
def test_a_key_that_could_be_guessed_or_misread_opens_nothing(door: Door, key: str) -> None:
    """The key stands for the tokens: it must be long enough, and plain."""
    answer = door.post("/v1/matches", open_body(), headers={"Idempotency-Key": key})
    assert (answer.status_code, json(answer)["errors"][0]["pointer"]) == (422, "Idempotency-Key")


def test_a_move_sent_again_moves_once(match: Door) -> None:
    """The same key and body get the first commit, also when the match has moved on and the move is illegal now."""
    move = match.moves("seat:0")[0]
    first = match.post("moves", move, "seat:0", headers={"Idempotency-Key": "k", "If-Match": '"1"'})
    match.move("seat:1")
    again = match.post("moves", move, "seat:0", headers={"Idempotency-Key": "k", "If-Match": '"1"'})
    assert (again.status_code, again.data) == (201, first.data)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert json(match.get())["version"] == 3


def test_a_key_used_for_another_move_is_refused(match: Door) -> None:
    """The same key with another body is 422, and nothing is committed."""
    match.move("seat:0", 0, headers={"Idempotency-Key": "k"})
    answer = match.post(
        "moves", {"type": "end_activation"}, "seat:0", headers={"Idempotency-Key": "k"}
    )
    assert (answer.status_code, json(answer)["type"]) == (422, "/problems/idempotency-key-reused")
    assert json(match.get())["version"] == 2


def test_joining_again_gives_the_token_again(lobby: Door) -> None:
    """A lost answer costs nobody a seat (M2)."""
    first = lobby.post("seats/1", {"name": "Piero"}, headers=HEADER)
    again = lobby.post("seats/1", {"name": "Piero"}, headers=HEADER)
    assert (first.status_code, again.status_code, again.data) == (201, 201, first.data)
    assert lobby.get("state", json(first)["token"]).headers["ETag"] == '"2;seat:1"'


def test_a_replaced_token_gets_its_successor_again(match: Door) -> None:
    """With the same key the dead token is told the new one once more; with another it is nobody's."""
    first = match.post("tokens", {}, "seat:0", headers=HEADER)
    again = match.post("tokens", {}, "seat:0", headers=HEADER)
    assert (first.status_code, again.status_code, again.data) == (201, 201, first.data)
    assert (
        match.post("tokens", {}, "seat:0", headers={"Idempotency-Key": KEY[::-1]}).status_code
        == 401
    )
    assert match.get("state", "seat:0").status_code == 401
    assert match.get("state", json(first)["token"]).status_code == 200


def test_a_late_repeat_brings_no_replaced_token_back(door: Door) -> None:
    """Whoever repeats a replacement after another one is told that its token is gone; the second token still counts."""
    opened(door, seats=THREE, visibility="private")
    spectator = {"holder": "spectator"}
    first = json(door.post("tokens", spectator, "owner", headers=HEADER))["token"]
    second = json(door.post("tokens", spectator, "owner", headers={"Idempotency-Key": KEY[::-1]}))[
        "token"
    ]
    again = door.post("tokens", spectator, "owner", headers=HEADER)
    assert (again.status_code, json(again)["type"]) == (422, "/problems/idempotency-key-reused")
    assert (door.get("", first).status_code, door.get("", second).status_code) == (401, 200)


def test_a_key_that_replaced_another_token_is_refused(door: Door) -> None:
    """The same key for another holder is 422, and that holder's token still counts."""
    opened(door, seats=[*THREE[:2], {"kind": "open"}], visibility="private")
    door.post("tokens", {"holder": "spectator"}, "owner", headers=HEADER)
    answer = door.post("tokens", {"holder": "invitation"}, "owner", headers=HEADER)
    assert (answer.status_code, json(answer)["type"]) == (422, "/problems/idempotency-key-reused")
    assert door.get("", "invitation").status_code == 200


def test_the_second_of_two_at_once_is_told_to_wait() -> None:
    """While the first request with a key is at hand the second is refused, and others are not."""
    with once_at_a_time("m", "t", "k"):
        with pytest.raises(InProgress):
            once_at_a_time("m", "t", "k").__enter__()
        for other in (("m", "t", ""), ("m", "t", "l"), ("n", "t", "k"), ("m", "u", "k")):
            with once_at_a_time(*other):
                pass
    with once_at_a_time("m", "t", "k"):
        pass


def test_a_repeat_while_the_first_is_at_hand_is_409(
    match: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer says after how long to come back; the first request is answered as ever."""
    move, begun, go = match.moves("seat:0")[0], threading.Event(), threading.Event()
    append = match.desk.journal.append

    def slow(entry: Any) -> Any:
        begun.set()
        assert go.wait(5)
        return append(entry)

    monkeypatch.setattr(match.desk.journal, "append", slow)
    answers: list[int] = []
    first = threading.Thread(
        target=lambda: answers.append(
            match.post("moves", move, "seat:0", headers=HEADER).status_code
        )
    )
    first.start()
    assert begun.wait(5)
    second = match.post("moves", move, "seat:0", headers=HEADER)
    go.set()
    first.join(5)
    assert (second.status_code, second.headers["Retry-After"], answers) == (409, "1", [201])
    assert json(second)["type"] == "/problems/request-in-progress"
