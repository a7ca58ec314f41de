"""The lobby through the door: seats, start, abort, stand-ins, and whose token may do what."""

from tests.service.api.conftest import IN_THE_LOBBY, Door, json, opened


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


def test_open_seats_of_a_private_match_need_the_invitation(door: Door) -> None:
    """Spectators only look; whoever has joined makes the match no less private."""
    opened(door, seats=IN_THE_LOBBY, visibility="private")

    stranger = door.post("seats/1", {})
    spectator = door.post("seats/1", {}, "spectator")
    guest = door.post("seats/1", {}, "invitation")

    assert stranger.status_code == 404
    assert spectator.status_code == 403
    assert guest.status_code == 201
    assert door.get("state").status_code == 404
