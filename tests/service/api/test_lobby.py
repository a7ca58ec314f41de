"""The lobby through the door: seats, start, stand-ins and the end."""

from typing import Any

from tests.service.api.conftest import IN_THE_LOBBY, Door, json, opened, problem


def seats_of(door: Door) -> Any:
    """Return the seats of a match."""
    return json(door.get())["seats"]


def test_the_life_of_a_lobby(lobby: Door) -> None:
    """M2, M3, M4: humans take seats and leave them, each gets a token, the owner starts."""
    left = json(lobby.post("seats/1", {"name": "Piero"}))["token"]
    assert lobby.delete("seats/1", left).status_code == 200
    assert seats_of(lobby)[1] == {"seat": 1, "kind": "open"}
    assert lobby.get("state", left).status_code == 401

    for seat in (1, 2):
        joined = json(lobby.post(f"seats/{seat}", {"name": f"Guest {seat}"}))
        assert joined["commit"]["events"][0]["type"] == "seat_joined"
        lobby.tokens[f"seat:{seat}"] = joined["token"]
    assert [seat["name"] for seat in seats_of(lobby)] == ["Cosimo", "Guest 1", "Guest 2"]

    assert lobby.post("start", None, "owner").status_code == 201
    assert json(lobby.get())["status"] == "running"
    assert lobby.move("seat:2").status_code == 201


def test_a_bot_stands_in_and_the_human_comes_back_m8(match: Door) -> None:
    """The seat says so, and says again whose it is; meanwhile its human looks on (M6)."""
    assert match.post("seats/0/bot", {"level": "random"}, "owner").status_code == 201
    stand_in = {"seat": 0, "kind": "bot", "level": "random", "absent": True}
    stand_in["absent_because"] = "replaced"
    assert seats_of(match)[0] == stand_in

    moved = match.post("moves", {"type": "end_activation"}, "seat:0")
    assert match.get("state", "seat:0").status_code == 200
    assert (moved.status_code, json(moved)["rule"]) == (409, "M6")

    assert match.delete("seats/0/bot", "owner").status_code == 200
    assert seats_of(match)[0] == {"seat": 0, "kind": "human"}


def test_an_aborted_match_has_no_result_and_takes_no_moves(match: Door) -> None:
    """M7; the refusal leads to the rule M5."""
    assert match.post("abort", None, "owner").status_code == 201
    document = json(match.get())
    assert (document["status"], document["outcome"]) == ("aborted", None)

    refused = match.post("moves", {"type": "end_activation"}, "seat:0")

    assert problem(refused) == (409, "illegal-move")
    assert json(refused)["rule"] == "M5"
    assert json(refused)["rule_url"] == "/rules/match#M5"


def test_open_seats_of_a_private_match_need_the_invitation(door: Door) -> None:
    """Spectators only look; whoever has joined makes the match no less private."""
    opened(door, seats=IN_THE_LOBBY, visibility="private")

    stranger = door.post("seats/1", {})
    spectator = door.post("seats/1", {}, "spectator")
    guest = door.post("seats/1", {}, "invitation")

    assert [answer.status_code for answer in (stranger, spectator, guest)] == [404, 403, 201]
    assert door.get("state").status_code == 404
