"""Rematch: the same players again, each one seat further on (M20)."""

from typing import Any

import pytest

from domain.games import GAMES
from tests.service.api.conftest import OPERATOR, Door, json, opened, problem

NAMED = [
    {"kind": "human", "name": "Cosimo"},
    {"kind": "bot", "level": "random"},
    {"kind": "human", "name": "Lucrezia"},
]


def over(door: Door, **more: Any) -> Door:
    """Open a match and end it."""
    opened(door, seats=NAMED, **more)
    assert door.post("abort", None, "owner").status_code == 201
    return door


def ask(door: Door, who: str) -> dict[str, Any]:
    """Ask for a rematch."""
    answer = door.post("rematch", {}, who)
    assert answer.status_code == 200, answer.text
    asked: dict[str, Any] = json(answer)
    return asked


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("visibility", ["public", "private"])
def test_all_who_come_play_again(door: Door, game: str, visibility: str) -> None:
    """Each takes the seat before with a token of its own; the last one starts the match (M20)."""
    over(door, game=game, visibility=visibility)

    first = ask(door, "seat:2")
    second = ask(door, "seat:0")

    assert first["match"] == second["match"]
    assert (first["status"], second["status"]) == ("open", "running")
    assert (first["seat"], second["seat"]) == (1, 2)
    [seat_token] = second["tokens"].values()
    shown = json(door.get(f"/v1/matches/{first['match']}", seat_token))
    holders = [(seat["kind"], seat.get("name")) for seat in shown["seats"]]
    assert holders == [("bot", None), ("human", "Lucrezia"), ("human", "Cosimo")]
    assert (shown["game"], shown["visibility"]) == (game, visibility)


def test_both_matches_name_each_other(door: Door) -> None:
    """`rematch` before, `rematch_of` after, and a reader's copy of the old one is out of date."""
    over(door)
    seen_before = door.get().headers["ETag"]

    new = ask(door, "seat:0")["match"]

    assert door.get().headers["ETag"] != seen_before
    assert json(door.get())["rematch"] == new
    assert json(door.get(f"/v1/matches/{new}"))["rematch_of"] == door.match

    listed = {match["id"]: match for match in json(door.get("/v1/matches"))["matches"]}
    assert listed[new]["rematch_of"] == door.match
    assert "rematch_of" not in listed[door.match]


def test_a_repeat_gives_the_same_answer(door: Door) -> None:
    """Seat and token, also after the start."""
    over(door)
    asked = ask(door, "seat:0")
    again = ask(door, "seat:0")
    ask(door, "seat:2")

    assert again == asked
    assert ask(door, "seat:0")["tokens"] == asked["tokens"]
    changed = door.post("rematch", {"entropy": "ab" * 16}, "seat:0")
    assert "another entropy" in json(changed)["detail"]


def test_the_seats_are_kept(door: Door) -> None:
    """A stranger cannot join although the match is public; the owner can fill a seat with a bot."""
    over(door)
    new = ask(door, "seat:0")["match"]

    refused = door.post(f"/v1/matches/{new}/seats/1", {})
    assert problem(refused) == (403, "forbidden")

    owner = ask(door, "owner")["tokens"]["owner"]
    filled = door.post(f"/v1/matches/{new}/seats/1/bot", {"level": "random"}, owner)
    assert filled.status_code == 201
    assert door.post(f"/v1/matches/{new}/start", None, owner).status_code == 201


def test_who_has_left_may_come_back(door: Door) -> None:
    """With another token, since the one before no longer counts (M3)."""
    over(door)
    asked = ask(door, "seat:0")
    [left] = asked["tokens"].values()
    seat = f"/v1/matches/{asked['match']}/seats/{asked['seat']}"
    assert door.delete(seat, left).status_code == 200

    again = ask(door, "seat:0")

    [token] = again["tokens"].values()
    assert token != left
    assert door.get(f"/v1/matches/{asked['match']}/webhook", left).status_code == 401
    assert door.delete(seat, token).status_code == 200


def test_an_owner_who_changes_tokens_keeps_nobody_out(door: Door) -> None:
    """All who come play again, and are told no token that does not count (M20)."""
    over(door)
    new, tokens = (ask(door, "owner")[name] for name in ("match", "tokens"))
    assert set(tokens) == {"owner", "invitation"}
    owner = tokens["owner"]
    assert door.delete(f"/v1/matches/{new}/tokens/invitation", owner).status_code == 204
    assert door.post(f"/v1/matches/{new}/tokens", {}, owner).status_code == 201

    assert [ask(door, who)["status"] for who in ("seat:0", "seat:2")] == ["open", "running"]
    assert ask(door, "owner")["tokens"] == {}


def test_a_seat_that_was_given_away_is_refused(door: Door) -> None:
    """The owner has put a bot on it, and the answer says so (M2)."""
    over(door)
    owner = ask(door, "owner")
    seat = f"/v1/matches/{owner['match']}/seats/1/bot"
    assert door.post(seat, {"level": "random"}, owner["tokens"]["owner"]).status_code == 201

    refused = door.post("rematch", {}, "seat:2")
    assert (problem(refused), json(refused)["rule"]) == ((409, "illegal-move"), "M2")


@pytest.mark.parametrize("who", ["owner", "seat:0"])
def test_a_rematch_that_was_deleted_is_said_to_be(door: Door, who: str) -> None:
    """By the operator; a private one, too, to those who played before."""
    over(door, visibility="private")
    new = ask(door, "seat:2")["match"]
    assert door.delete(f"/v1/matches/{new}", OPERATOR).status_code == 204

    assert problem(door.post("rematch", {}, who)) == (410, "match-deleted")


def test_an_erased_name_changes_no_repeat(door: Door) -> None:
    """The seat and its token are given again."""
    over(door)
    asked = ask(door, "seat:0")
    assert door.delete("players/0", "seat:0").status_code == 204
    assert ask(door, "seat:0") == asked


def test_an_erased_name_stays_erased(door: Door) -> None:
    """Who plays again after having their name erased plays without one."""
    over(door)
    assert door.delete("players/0", "seat:0").status_code == 204

    asked = ask(door, "seat:0")

    shown = json(door.get(f"/v1/matches/{asked['match']}"))
    assert "name" not in shown["seats"][asked["seat"]]


@pytest.mark.parametrize(
    ("who", "refusal"),
    [
        pytest.param("", (401, "unauthorized"), id="a-stranger"),
        pytest.param("seat:0", (409, "illegal-move"), id="M20-before-the-end"),
    ],
)
def test_who_may_not_play_again_is_refused(match: Door, who: str, refusal: Any) -> None:
    """Without a seat's or the owner's token, and before the end (M20)."""
    assert problem(match.post("rematch", {}, who)) == refusal
