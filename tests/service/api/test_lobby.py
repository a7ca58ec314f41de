"""The lobby through the door: seats, start, abort, stand-ins, and whose token may do what."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.service.api.conftest import Door, json, opened

OPEN = [{"kind": "human"}, {"kind": "open"}, {"kind": "open"}]


def test_a_match_is_joined_and_started_m2_m4(lobby: Door) -> None:
    """Humans take the open seats, each gets a token, the owner starts, the seats play."""
    for seat in (1, 2):
        guest = {"name": f"Guest {seat}"}
        joined = json(lobby.post(f"seats/{seat}", guest))
        [event, *_] = joined["commit"]["events"]
        assert event["type"] == "seat_joined"
        lobby.tokens[f"seat:{seat}"] = joined["token"]

    names = [seat.get("name") for seat in json(lobby.get())["seats"]]
    assert names == ["Cosimo", "Guest 1", "Guest 2"]

    started = lobby.post("start", None, "owner")
    assert started.status_code == 201
    assert json(lobby.get())["status"] == "running"

    moved = lobby.move("seat:2")
    assert moved.status_code == 201


def test_a_seat_that_was_left_is_open_again_m3(lobby: Door) -> None:
    """Its name is gone, its token is nobody's, somebody else may join."""
    joined = json(lobby.post("seats/1", {"name": "Piero"}))
    token = joined["token"]

    left = lobby.delete("seats/1", token)
    assert left.status_code == 200
    assert json(lobby.get())["seats"][1] == {"seat": 1, "kind": "open"}
    assert lobby.get("state", token).status_code == 401

    joined_by_another = lobby.post("seats/1", {})
    assert joined_by_another.status_code == 201


def test_a_bot_stands_in_and_the_human_comes_back_m8(match: Door) -> None:
    """The seat says so, and says again whose it is."""
    replaced = match.post("seats/0/bot", {"level": "random"}, "owner")
    assert replaced.status_code == 201
    assert json(match.get())["seats"][0] == {
        "seat": 0,
        "kind": "bot",
        "level": "random",
        "absent": True,
    }

    restored = match.delete("seats/0/bot", "owner")
    assert restored.status_code == 200
    assert json(match.get())["seats"][0] == {"seat": 0, "kind": "human"}


def test_who_is_stood_in_for_may_look_but_not_move_m8(match: Door) -> None:
    """The seat's moves are the bot's (M6)."""
    match.post("seats/0/bot", {"level": "random"}, "owner")

    looked = match.get("state", "seat:0")
    moved = match.post("moves", {"type": "end_activation"}, "seat:0")

    assert looked.status_code == 200
    assert moved.status_code == 409
    assert json(moved)["rule"] == "M6"


def test_an_aborted_match_has_no_result_m7(match: Door) -> None:
    """It has ended all the same."""
    aborted = match.post("abort", None, "owner")
    assert aborted.status_code == 201

    document = json(match.get())
    assert document["status"] == "aborted"
    assert document["outcome"] is None


def test_an_aborted_match_takes_no_moves_m5(match: Door) -> None:
    """The refusal leads to the rule."""
    match.post("abort", None, "owner")

    refused = match.post("moves", {"type": "end_activation"}, "seat:0")

    assert refused.status_code == 409
    assert json(refused)["rule"] == "M5"
    assert json(refused)["rule_url"] == "/rules/match#M5"


@dataclass(frozen=True)
class Refused:
    """A request, the status of its refusal, and the number of the rule that is named, if any."""

    method: str
    path: str
    status: int
    rule: str = ""
    who: str = ""
    body: dict[str, Any] | None = None


REFUSED: dict[str, Refused] = {
    "M1-no-such-seat": Refused("POST", "seats/7", 409, "M1", body={}),
    "M2-taken": Refused("POST", "seats/0", 409, "M2", body={}),
    "M3-not-held": Refused("DELETE", "seats/1", 403, who="seat:0"),
    "M4-seats-open": Refused("POST", "start", 409, "M4", who="owner"),
    "M4-not-the-owner": Refused("POST", "start", 403, who="seat:0"),
    "M4-nobody": Refused("POST", "start", 401),
    "M7-not-the-owner": Refused("POST", "abort", 403, who="seat:0"),
    "M8-not-the-owner": Refused("POST", "seats/1/bot", 403, who="seat:0", body={}),
    "M8-nobody-to-restore": Refused("DELETE", "seats/1/bot", 409, "M8", who="owner"),
    "M8-no-such-seat": Refused("POST", "seats/9/bot", 409, "M1", who="owner", body={}),
    "M8-no-such-level": Refused("POST", "seats/1/bot", 422, who="owner", body={"level": "perfect"}),
    "join-unknown-field": Refused("POST", "seats/1", 422, body={"nick": "x"}),
    "join-empty-name": Refused("POST", "seats/1", 422, body={"name": ""}),
    "join-odd-entropy": Refused("POST", "seats/1", 422, body={"entropy": "abc"}),
}


@pytest.mark.parametrize("request_", REFUSED.values(), ids=REFUSED)
def test_what_the_lobby_refuses(lobby: Door, request_: Refused) -> None:
    """Each refusal is a problem that names the rule, and the match is as it was."""
    body = {} if request_.body is None else {"json": request_.body}

    answer = lobby.ask(
        request_.method,
        request_.path,
        request_.who,
        **body,
    )

    rule_named = json(answer).get("rule", "")
    assert answer.status_code == request_.status
    assert rule_named == request_.rule
    assert json(lobby.get())["version"] == 1


def test_a_private_match_shows_itself_to_its_tokens_alone(door: Door) -> None:
    """Nobody else learns that it exists."""
    opened(door, seats=OPEN, visibility="private")

    for path in ("", "state", "commits", "moves", "diff?from=1", "story", "record"):
        to_a_stranger = door.get(path)
        to_a_spectator = door.get(path, "spectator")
        assert to_a_stranger.status_code == 404
        assert to_a_spectator.status_code == 200

    stream = door.get("stream")
    assert stream.status_code == 404


def test_a_private_match_is_on_no_list(door: Door) -> None:
    """The list of all matches is public."""
    opened(door, seats=OPEN, visibility="private")

    assert json(door.get("/v1/matches"))["matches"] == []


def test_open_seats_of_a_private_match_need_the_invitation(door: Door) -> None:
    """Spectators only look; whoever has joined makes the match no less private."""
    opened(door, seats=OPEN, visibility="private")

    stranger = door.post("seats/1", {})
    spectator = door.post("seats/1", {}, "spectator")
    guest = door.post("seats/1", {}, "invitation")

    assert stranger.status_code == 404
    assert spectator.status_code == 403
    assert guest.status_code == 201
    assert door.get("state").status_code == 404
