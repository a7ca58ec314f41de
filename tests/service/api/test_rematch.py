"""Rematch: the same players again, each one seat further on (M20)."""

from typing import Any

import pytest

from domain.games import GAMES
from service.base.errors import NotFound
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
    """An aborted public match of two humans and a bot."""
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
    rematch: dict[str, Any] = json(answer)
    return rematch


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("visibility", ["public", "private"])
def test_all_who_come_play_again(door: Door, game: str, visibility: str) -> None:
    """Each player takes the seat before with a new token. The last player starts the match (M20).

    The terms are the same (M15, M17). Each match names the other, so the old one has a new ETag.
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
    new = json(door.get(f"/v1/matches/{first['match']}", seat_token))
    holders = [(seat["kind"], seat.get("name")) for seat in new["seats"]]
    assert holders == [(seat["kind"], seat.get("name")) for seat in (*seats[1:], seats[0])]
    assert (new["game"], new["visibility"]) == (game, visibility)
    assert new["clock"].items() >= CLOCK.items()
    assert new["take_back"]["option"] == "consent"

    before = door.get(who="owner")
    assert before.headers["ETag"] != seen_before
    assert (json(before)["rematch"], new["rematch_of"]) == (first["match"], door.match)
    listed = {one["match"]: one for one in json(door.get("/v1/matches"))["matches"]}
    if visibility == "public":
        assert listed[first["match"]]["rematch_of"] == door.match
        assert "rematch_of" not in listed[door.match]


def test_a_repeat_gives_the_same_seat_and_token(over: Door) -> None:
    """A repeat returns the same token, even after an erasure or the start.

    New entropy is refused.
    """
    rematch = ask(over, "seat:0")
    assert over.delete("players/0", "seat:0").status_code == 204
    assert ask(over, "seat:0") == rematch

    ask(over, "seat:2")
    assert ask(over, "seat:0")["tokens"] == rematch["tokens"]
    changed = over.post("rematch", {"entropy": "ab" * 16}, "seat:0")
    assert "another entropy" in json(changed)["detail"]


def test_the_seats_are_kept_and_the_owners_to_give_away(over: Door) -> None:
    """Strangers cannot join a public rematch. The owner may give a player's seat to a bot (M2)."""
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
    """After an aborted rematch all players who ask get the same new one (M20)."""
    ids = set()
    for _ in range(3):
        new = ask(over, "owner")
        ids.add(new["match"])
        assert ask(over, "seat:0")["match"] == new["match"]
        aborted = over.post(f"/v1/matches/{new['match']}/abort", None, new["tokens"]["owner"])
        assert aborted.status_code == 201

    last = ask(over, "seat:2")
    assert last["match"] not in ids
    assert len(ids) == 3
    assert json(over.get(who="owner"))["rematch"] == last["match"]


def test_a_player_who_left_may_come_back(over: Door) -> None:
    """A player who left and comes back has another token. The old one no longer works (M3)."""
    rematch = ask(over, "seat:0")
    [old] = rematch["tokens"].values()
    seat = f"/v1/matches/{rematch['match']}/seats/{rematch['seat']}"
    assert over.delete(seat, old).status_code == 200

    [token] = ask(over, "seat:0")["tokens"].values()

    assert token != old
    assert over.get(f"/v1/matches/{rematch['match']}/webhook", old).status_code == 401
    assert over.delete(seat, token).status_code == 200


def test_an_owner_who_changes_tokens_keeps_nobody_out(over: Door) -> None:
    """Players still join after the owner changed tokens, and no answer has a dead token (M20)."""
    new, tokens = (ask(over, "owner")[name] for name in ("match", "tokens"))
    assert set(tokens) == {"owner", "invitation"}
    owner = tokens["owner"]
    assert over.delete(f"/v1/matches/{new}/tokens/invitation", owner).status_code == 204
    assert over.post(f"/v1/matches/{new}/tokens", {}, owner).status_code == 201

    assert [ask(over, who)["status"] for who in ("seat:0", "seat:2")] == ["open", "running"]
    assert ask(over, "owner")["tokens"] == {}


def test_an_erased_name_stays_erased(over: Door) -> None:
    """A player with an erased name plays again without one."""
    assert over.delete("players/0", "seat:0").status_code == 204

    rematch = ask(over, "seat:0")

    new = json(over.get(f"/v1/matches/{rematch['match']}"))
    assert "name" not in new["seats"][rematch["seat"]]


def test_illegal_rematches_are_refused(match: Door) -> None:
    """A rematch is refused before the end (M20), and without a token of a seat or the owner.

    A rematch deleted by the operator is gone for its players, even a private one.
    """
    assert problem(match.post("rematch", {}, "seat:0")) == (409, "illegal-move")
    ended(match, visibility="private")
    assert problem(match.post("rematch", {})) == (401, "unauthorized")

    new = ask(match, "seat:2")["match"]
    assert match.delete(f"/v1/matches/{new}", OPERATOR).status_code == 204
    for who in ("owner", "seat:0"):
        assert problem(match.post("rematch", {}, who)) == (410, "match-deleted")


def handed_over(door: Door, who: str) -> str:
    """Let the owner replace the token of a seat. Return the old token."""
    before = door.tokens[who]
    answer = door.post("tokens", {"holder": who}, "owner")
    assert answer.status_code == 201, answer.text
    door.tokens[who] = json(answer)["token"]
    return before


def asked_with(door: Door, who: str, **body: str) -> dict[str, Any]:
    """Ask for a rematch, with entropy as pages do."""
    answer = door.post("rematch", body, who)
    assert answer.status_code == 200, answer.text
    rematch: dict[str, Any] = json(answer)
    return rematch


def test_a_seat_that_was_handed_on_is_kept_for_its_new_holder(over: Door) -> None:
    """M20: the old holder loses the seat in the rematch. The history has the replacement (M13)."""
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
    event = {"type": "token_replaced", "holder": f"seat:{first['seat']}"}
    assert (last["actor"], last["events"]) == ("owner", [event])
    for entropy in ("cd", "ef"):
        assert asked_with(over, "seat:0", entropy=entropy * 16)["tokens"] == second["tokens"]
    lines = over.get(f"{path}/record").data.splitlines(keepends=True)
    assert verify_record(lines).report.wrong is None


def test_an_untaken_seat_is_taken_by_its_new_holder_alone(over: Door) -> None:
    stranger = handed_over(over, "seat:0")
    assert over.post("rematch", {}, stranger).status_code == 401
    rematch = ask(over, "seat:0")
    assert ask(over, "seat:0") == rematch
    commits = json(over.get(f"/v1/matches/{rematch['match']}/commits"))["commits"]
    assert [commit["command"]["type"] for commit in commits] == ["open", "join"]


def test_a_seat_is_handed_on_in_a_running_rematch(over: Door) -> None:
    """The old holder's webhook ends. The owner can still replace tokens afterwards (M13)."""
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
    """If the token was replaced in the rematch, a new holder in the old match is refused."""
    first = ask(over, "seat:0")
    [old] = first["tokens"].values()
    assert over.post(f"/v1/matches/{first['match']}/tokens", {}, old).status_code == 201
    handed_over(over, "seat:0")
    assert problem(over.post("rematch", {}, "seat:0")) == (409, "illegal-move")


def test_a_seat_with_a_key_is_handed_on_with_the_key(door: Door) -> None:
    """M18: a new holder must name the key of the seat. Without the key the request is refused."""
    opened(door, seats=[{"kind": "human", "key": CLEO.key}, *NAMED[1:]])
    door.post("abort", None, "owner")
    text = json(door.post("rematch", {"key": CLEO.key}, "seat:0"))["to_sign"]
    body = {"key": CLEO.key, "proof": CLEO.private.sign(text.encode()).hex()}
    [old] = json(door.post("rematch", body, "seat:0"))["tokens"].values()
    handed_over(door, "seat:0")

    assert problem(door.post("rematch", {}, "seat:0")) == (422, "idempotency-key-reused")
    rematch = json(door.post("rematch", {"key": CLEO.key}, "seat:0"))
    state = f"/v1/matches/{rematch['match']}/state"
    assert [door.get(state, token).status_code for token in (old, *rematch["tokens"].values())] == [
        401,
        200,
    ]
