"""The lobby over HTTP: seats, stand-ins and invitations."""

from typing import Any

from tests.service.api.conftest import IN_THE_LOBBY, Door, json, opened


def seats_of(door: Door) -> Any:
    """Return the seats of a match."""
    return json(door.get())["seats"]


def test_a_bot_stands_in_and_the_human_comes_back_m8(match: Door) -> None:
    """The seat shows the stand-in, and afterwards its human.

    Meanwhile the human only watches (M6).
    """
    assert match.post("seats/0/bot", {"level": "random"}, "owner").status_code == 201
    assert seats_of(match)[0] == {
        "seat": 0,
        "kind": "bot",
        "level": "random",
        "absent": True,
        "absent_because": "replaced",
        "may_return": True,
    }

    moved = match.post("moves", {"type": "end_activation"}, "seat:0")
    assert match.get("state", "seat:0").status_code == 200
    assert (moved.status_code, json(moved)["rule"]) == (409, "M6")
    assert match.moves("seat:0") == []

    assert match.delete("seats/0/bot", "owner").status_code == 200
    assert seats_of(match)[0] == {"seat": 0, "kind": "human"}


def test_open_seats_of_a_private_match_need_the_invitation(door: Door) -> None:
    """Strangers and spectators cannot join. The match stays private after a join."""
    opened(door, seats=IN_THE_LOBBY, visibility="private")

    stranger = door.post("seats/1", {})
    spectator = door.post("seats/1", {}, "spectator")
    guest = door.post("seats/1", {}, "invitation")

    assert [answer.status_code for answer in (stranger, spectator, guest)] == [404, 403, 201]
    assert door.get("state").status_code == 404


def test_a_join_with_an_invitation_has_an_actor(door: Door) -> None:
    """The filter by actor finds commits of the actor `invitation`."""
    match = opened(door, seats=IN_THE_LOBBY, visibility="private")
    joined = json(match.post("seats/1", {}, "invitation"))

    assert joined["commit"]["actor"] == "invitation"
    commits = json(match.get("commits?actor=invitation", "owner"))["commits"]
    assert [commit["version"] for commit in commits] == [joined["commit"]["version"]]
