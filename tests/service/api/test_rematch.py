"""Rematch: the same players again, each one seat further on (M20)."""

from typing import Any

import pytest

from domain.games import GAMES
from service.base.errors import NotFound
from service.capabilities.rematch import use_cases as rematch
from service.capabilities.webhooks import use_cases as webhooks
from service.matches.metadata_changes import TRACED_EACH
from service.record.verify.audit import verify_record
from tests.service.api.conftest import OPERATOR, Door, json, opened, problem
from tests.signing import CLEO

NAMED = [
    {"kind": "human", "name": "Cosimo"},
    {"kind": "bot", "level": "random"},
    {"kind": "human", "name": "Lucrezia"},
]
CLOCK = {"bank_s": 300, "move_s": 5, "level": "greedy"}


@pytest.fixture
def over(door: Door) -> Door:
    """A public match of two humans and a bot that was aborted."""
    return ended(door)


def ended(door: Door, **more: Any) -> Door:
    """Open a match and end it."""
    opened(door, **{"seats": NAMED, **more})
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
    """Each takes the seat before with a token of its own; the last one starts the match (M20).

    It is played on the same terms (M15, M17), and either match names the other: a reader's copy of
    the old one is out of date.
    """
    seats = NAMED if len(NAMED) in GAMES[game].seats else [NAMED[0], NAMED[2]]
    last = len(seats) - 1
    terms = {"visibility": visibility, "clock": CLOCK, "take_back": "consent"}
    ended(door, game=game, seats=seats, **terms)
    seen_before = door.get(who="owner").headers["ETag"]

    first = ask(door, f"seat:{last}")
    second = ask(door, "seat:0")

    assert first["match"] == second["match"]
    assert (first["status"], second["status"]) == ("open", "running")
    assert (first["seat"], second["seat"]) == (last - 1, last)
    [seat_token] = second["tokens"].values()
    shown = json(door.get(f"/v1/matches/{first['match']}", seat_token))
    holders = [(seat["kind"], seat.get("name")) for seat in shown["seats"]]
    assert holders == [(seat["kind"], seat.get("name")) for seat in (*seats[1:], seats[0])]
    assert (shown["game"], shown["visibility"]) == (game, visibility)
    assert shown["clock"].items() >= CLOCK.items()
    assert shown["take_back"]["option"] == "consent"

    before = door.get(who="owner")
    assert before.headers["ETag"] != seen_before
    assert (json(before)["rematch"], shown["rematch_of"]) == (first["match"], door.match)
    listed = {one["id"]: one for one in json(door.get("/v1/matches"))["matches"]}
    if visibility == "public":
        assert listed[first["match"]]["rematch_of"] == door.match
        assert "rematch_of" not in listed[door.match]


def test_a_repeat_gives_the_same_seat_and_token(over: Door) -> None:
    """Also after the player's name was erased, and after the start; not with other entropy."""
    asked = ask(over, "seat:0")
    assert over.delete("players/0", "seat:0").status_code == 204
    assert ask(over, "seat:0") == asked

    ask(over, "seat:2")
    assert ask(over, "seat:0")["tokens"] == asked["tokens"]
    changed = over.post("rematch", {"entropy": "ab" * 16}, "seat:0")
    assert "another entropy" in json(changed)["detail"]


def test_the_seats_are_kept_and_the_owners_to_give_away(over: Door) -> None:
    """No stranger joins although the match is public; a bot may sit where a player was (M2)."""
    new = ask(over, "seat:0")["match"]
    refused = over.post(f"/v1/matches/{new}/seats/1", {})
    assert problem(refused) == (403, "forbidden")

    owner = ask(over, "owner")["tokens"]["owner"]
    filled = over.post(f"/v1/matches/{new}/seats/1/bot", {"level": "random"}, owner)
    assert filled.status_code == 201

    too_late = over.post("rematch", {}, "seat:2")
    assert (problem(too_late), json(too_late)["rule"]) == ((409, "illegal-move"), "M2")
    assert over.post(f"/v1/matches/{new}/start", None, owner).status_code == 201


def test_a_rematch_that_was_aborted_makes_room_for_another(over: Door) -> None:
    """All who come then play the same new one, however often that happens (M20)."""
    seen = set()
    for _ in range(3):
        new = ask(over, "owner")
        seen.add(new["match"])
        assert ask(over, "seat:0")["match"] == new["match"]
        aborted = over.post(f"/v1/matches/{new['match']}/abort", None, new["tokens"]["owner"])
        assert aborted.status_code == 201

    last = ask(over, "seat:2")
    assert last["match"] not in seen
    assert len(seen) == 3
    assert json(over.get(who="owner"))["rematch"] == last["match"]


def test_who_has_left_may_come_back(over: Door) -> None:
    """With another token, since the one before no longer counts (M3)."""
    asked = ask(over, "seat:0")
    [left] = asked["tokens"].values()
    seat = f"/v1/matches/{asked['match']}/seats/{asked['seat']}"
    assert over.delete(seat, left).status_code == 200

    [token] = ask(over, "seat:0")["tokens"].values()

    assert token != left
    assert over.get(f"/v1/matches/{asked['match']}/webhook", left).status_code == 401
    assert over.delete(seat, token).status_code == 200


def test_an_owner_who_changes_tokens_keeps_nobody_out(over: Door) -> None:
    """All who come play again, and are told no token that does not count (M20)."""
    new, tokens = (ask(over, "owner")[name] for name in ("match", "tokens"))
    assert set(tokens) == {"owner", "invitation"}
    owner = tokens["owner"]
    assert over.delete(f"/v1/matches/{new}/tokens/invitation", owner).status_code == 204
    assert over.post(f"/v1/matches/{new}/tokens", {}, owner).status_code == 201

    assert [ask(over, who)["status"] for who in ("seat:0", "seat:2")] == ["open", "running"]
    assert ask(over, "owner")["tokens"] == {}


def test_an_erased_name_stays_erased(over: Door) -> None:
    """Who plays again after having their name erased plays without one."""
    assert over.delete("players/0", "seat:0").status_code == 204

    asked = ask(over, "seat:0")

    shown = json(over.get(f"/v1/matches/{asked['match']}"))
    assert "name" not in shown["seats"][asked["seat"]]


def test_who_may_not_play_again_is_refused(match: Door) -> None:
    """Before the end (M20), and without a seat's or the owner's token.

    A rematch that the operator has deleted is gone; a private one, too, for those who played.
    """
    assert problem(match.post("rematch", {}, "seat:0")) == (409, "illegal-move")
    ended(match, visibility="private")
    assert problem(match.post("rematch", {})) == (401, "unauthorized")

    new = ask(match, "seat:2")["match"]
    assert match.delete(f"/v1/matches/{new}", OPERATOR).status_code == 204
    for who in ("owner", "seat:0"):
        assert problem(match.post("rematch", {}, who)) == (410, "match-deleted")


def handed_over(door: Door, who: str) -> str:
    """Let the owner replace the token of a seat; return the token of the holder before."""
    before = door.tokens[who]
    answer = door.post("tokens", {"holder": who}, "owner")
    assert answer.status_code == 201, answer.text
    door.tokens[who] = json(answer)["token"]
    return before


def asked_with(door: Door, who: str, **given: str) -> dict[str, Any]:
    """Ask for a rematch, with entropy as pages do."""
    answer = door.post("rematch", given, who)
    assert answer.status_code == 200, answer.text
    asked: dict[str, Any] = json(answer)
    return asked


def test_a_seat_that_was_handed_on_is_kept_for_its_new_holder(over: Door) -> None:
    """M20: who had the seat before gets no token, and keeps none; the history tells it (M13)."""
    first = asked_with(over, "seat:0", entropy="ab" * 16)
    [old] = first["tokens"].values()
    path = f"/v1/matches/{first['match']}"
    stranger = handed_over(over, "seat:0")

    second = asked_with(over, "seat:0", entropy="cd" * 16)
    [new] = second["tokens"].values()

    assert new != old
    assert second["seat"] == first["seat"]
    assert over.post("rematch", {}, stranger).status_code == 401
    assert over.get(f"{path}/state", old).status_code == 401
    assert json(over.get(f"{path}/state", new))["seat"] == first["seat"]
    [*_, last] = json(over.get(f"{path}/commits"))["commits"]
    told = {"type": "token_replaced", "holder": f"seat:{first['seat']}"}
    assert (last["actor"], last["events"]) == ("owner", [told])
    for entropy in ("cd", "ef"):
        assert asked_with(over, "seat:0", entropy=entropy * 16)["tokens"] == second["tokens"]
    lines = over.get(f"{path}/record").data.splitlines(keepends=True)
    assert verify_record(lines).report.wrong is None


def test_an_untaken_seat_is_taken_by_its_new_holder_alone(over: Door) -> None:
    stranger = handed_over(over, "seat:0")
    assert over.post("rematch", {}, stranger).status_code == 401
    asked = ask(over, "seat:0")
    assert ask(over, "seat:0") == asked
    commits = json(over.get(f"/v1/matches/{asked['match']}/commits"))["commits"]
    assert [commit["command"]["type"] for commit in commits] == ["open", "join"]


def test_a_seat_is_handed_on_in_a_running_rematch(over: Door) -> None:
    """Its webhook ends, and the owner's room for changes of tokens stays (M13)."""
    over.house()
    first = ask(over, "seat:0")
    assert ask(over, "seat:2")["status"] == "running"
    [old] = first["tokens"].values()
    path = f"/v1/matches/{first['match']}"
    webhooks.put(over.ctx, first["match"], old, "https://example.org/calls", ("turn",))
    owner = ask(over, "owner")["tokens"]["owner"]

    for _ in range(TRACED_EACH):
        handed_over(over, "seat:0")
        [token] = ask(over, "seat:0")["tokens"].values()
    handed_over(over, "seat:0")
    full = over.post("rematch", {}, "seat:0")

    with pytest.raises(NotFound):
        webhooks.get(over.ctx, first["match"], token)
    assert problem(full) == (403, "forbidden")
    assert over.get(f"{path}/state", old).status_code == 401
    replaced = over.post(f"{path}/tokens", {"holder": f"seat:{first['seat']}"}, owner)
    assert replaced.status_code == 201


def test_a_token_that_the_rematch_has_replaced_is_not_told(over: Door) -> None:
    """The seat is its holder's there, whoever has the seat before."""
    first = ask(over, "seat:0")
    [old] = first["tokens"].values()
    assert over.post(f"/v1/matches/{first['match']}/tokens", {}, old).status_code == 201
    handed_over(over, "seat:0")
    assert problem(over.post("rematch", {}, "seat:0")) == (409, "illegal-move")


def test_a_seat_with_a_key_is_handed_on_with_the_key(door: Door) -> None:
    """M18: its new holder names the key that the seat has; else nothing changes."""
    opened(door, seats=[{"kind": "human", "key": CLEO.key}, *NAMED[1:]])
    door.post("abort", None, "owner")
    told = json(door.post("rematch", {"key": CLEO.key}, "seat:0"))["to_sign"]
    body = {"key": CLEO.key, "proof": CLEO.private.sign(told.encode()).hex()}
    [old] = json(door.post("rematch", body, "seat:0"))["tokens"].values()
    handed_over(door, "seat:0")

    assert problem(door.post("rematch", {}, "seat:0")) == (422, "idempotency-key-reused")
    asked = json(door.post("rematch", {"key": CLEO.key}, "seat:0"))
    state = f"/v1/matches/{asked['match']}/state"
    assert [door.get(state, token).status_code for token in (old, *asked["tokens"].values())] == [
        401,
        200,
    ]


def test_a_seat_that_an_earlier_release_took_stays_taken(
    over: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It did not note the token of the seat before, so a repeat is answered as then."""
    with monkeypatch.context() as patched:
        patched.setattr(rematch._Taking, "written", lambda _self: f"rematch|{'ab' * 16}")
        first = ask(over, "seat:0")
    assert ask(over, "seat:0") == first
    handed_over(over, "seat:0")
    assert ask(over, "seat:0") == first
