"""The rules of every match (docs/rules/match.md), whatever its game."""

from collections.abc import Sequence
from typing import Any

import pytest

from domain import wire
from domain.chance import Draws
from domain.errors import RuleBroken
from domain.games import GAMES
from domain.match.evolve import evolve, new_match
from domain.match.messages import (
    Abort,
    EraseName,
    Expire,
    Join,
    Leave,
    MatchStarted,
    Open,
    Replace,
    ReplaceToken,
    Restore,
    Reveal,
    RevokeToken,
    SeatPlan,
    Start,
)
from domain.match.play import decide, open_match
from domain.match.state import Match
from domain.wire import HOUSE
from tests.domain import refusals

GAME = GAMES["calimala"]
HUMAN, BOT, FREE = SeatPlan("human"), SeatPlan("bot", "random"), SeatPlan("open")
CHANCE = Draws(bytes(32))


class NoChance:
    """A chance that nobody may ask."""

    def below(self, n: int) -> int:  # noqa: ARG002 - a Chance
        raise AssertionError("nothing may be drawn")


def make(*seats: SeatPlan) -> Match:
    command = Open(
        GAME.key,
        GAME.rules,
        GAME.view_version,
        GAME.read_options({}),
        seats,
        "public",
        "c",
        "00" * 32,
    )
    return open_match(command, CHANCE)[0]


def after(match: Match, *commands: Any) -> Match:
    for command in commands:
        match, _ = decide(match, command, CHANCE)
    return match


def kinds(match: Match) -> list[str]:
    return [seat.kind for seat in match.seats]


def test_a_match_without_open_seat_starts_at_once() -> None:
    """M1: opened and started in the same commit."""
    command = Open(
        GAME.key,
        GAME.rules,
        GAME.view_version,
        GAME.read_options({}),
        (HUMAN, BOT, BOT),
        "public",
        "c",
        "00" * 32,
    )
    match, events = open_match(command, CHANCE)
    assert match.standing.status == "running"
    assert isinstance(events[1], MatchStarted)
    assert len(events) > 2, "the game's own opening belongs to the same commit"


def test_the_events_alone_make_the_match() -> None:
    """M1: replay of the first commit gives the very match that was decided."""
    command = Open(
        GAME.key,
        GAME.rules,
        GAME.view_version,
        GAME.read_options({}),
        (HUMAN, BOT, BOT),
        "public",
        "c",
        "00" * 32,
    )
    match, events = open_match(command, CHANCE)
    replayed = new_match(events[0])
    for event in events[1:]:
        evolve(replayed, event)
    assert replayed == match


def test_an_open_seat_is_joined_left_and_joined_again() -> None:
    """M2, M3: a seat changes hands before the start."""
    match = after(make(HUMAN, FREE, FREE), Join(1, "n", "ab"))
    assert kinds(match) == ["human", "human", "open"]
    assert match.seats[1].entropy == "ab"
    assert kinds(after(match, Leave(1))) == ["human", "open", "open"]
    assert kinds(after(match, Leave(1), Join(1))) == ["human", "human", "open"]


def test_the_owner_starts_a_full_match() -> None:
    """M4: with every seat held the game begins."""
    match = after(make(HUMAN, FREE, BOT), Join(1), Start())
    assert match.standing.status == "running"
    assert match.state is not None


def test_an_aborted_match_has_no_result_and_waits_for_the_revelation() -> None:
    """M7, M9: after an abortion only the house has something to do."""
    match = after(make(HUMAN, HUMAN, HUMAN), Abort())
    assert (match.standing.status, match.standing.actors, match.standing.work) == (
        "aborted",
        (HOUSE,),
        "house",
    )
    match = after(match, Reveal("00", {}))
    assert (match.standing.status, match.standing.actors, match.standing.work) == (
        "aborted",
        (),
        "",
    )


def test_a_bot_stands_in_for_a_human_and_gives_the_seat_back() -> None:
    """M8: replaced and restored, the seat is the human's as before."""
    match = make(HUMAN, HUMAN, HUMAN)
    replaced = after(match, Replace(2, "greedy"))
    assert (kinds(replaced)[2], replaced.seats[2].level, replaced.standing.work) == (
        "bot",
        "greedy",
        "bots",
    )
    assert after(replaced, Replace(2, "random"), Restore(2)) == match


def test_a_bot_may_take_an_open_seat() -> None:
    """M8: nobody stands behind such a bot, so there is nobody to give the seat back to."""
    match = after(make(HUMAN, HUMAN, FREE), Replace(2, "random"))
    assert kinds(match) == ["human", "human", "bot"]
    with pytest.raises(RuleBroken):
        after(match, Restore(2))


def test_chance_is_fixed_by_secret_and_entropy() -> None:
    """M10: other draws, another setup; the same draws, the same."""
    command = Open(
        GAME.key,
        GAME.rules,
        GAME.view_version,
        GAME.read_options({}),
        (HUMAN,) * 3,
        "public",
        "c",
        "00" * 32,
    )
    first, second = (
        open_match(command, Draws(b"1" * 32))[0],
        open_match(command, Draws(b"1" * 32))[0],
    )
    assert first == second
    assert open_match(command, Draws(b"2" * 32))[0] != first


def test_deciding_leaves_the_match_alone() -> None:
    """A refused or accepted command changes nothing in the match it was decided on."""
    match = make(HUMAN, FREE, BOT)
    before = match.copy()
    after(match, Join(1), Start(), Replace(0, "greedy"))
    with pytest.raises(RuleBroken):
        after(match, Start())
    assert match == before


TRACES = [ReplaceToken("owner"), RevokeToken("seat:1"), EraseName(0)]


@pytest.mark.parametrize("command", TRACES, ids=lambda command: f"M13-{command.tag}")
def test_a_change_of_tokens_or_names_changes_nothing_in_the_match(command: Any) -> None:
    """M13: before the start, while it runs and after the end it is only told; it draws nothing."""
    for before in ([], RUNNING, [*RUNNING, Abort()]):
        match = after(make(HUMAN, FREE, FREE), *before)
        changed, events = decide(match, command, NoChance())
        assert changed == match
        assert len(events) == 1


def test_a_match_of_bots_alone_is_an_exhibition() -> None:
    """Nobody waits for it: its bots have a worker of their own; with one human at the table they have not."""
    alone = make(BOT, BOT, BOT)
    assert (alone.standing.work, alone.standing.errand) == ("bots", "exhibition")
    with_a_human = make(BOT, BOT, HUMAN)
    assert with_a_human.standing.errand == with_a_human.standing.work
    assert after(with_a_human, Replace(2, "random")).standing.errand == "exhibition"
    assert after(alone, Abort()).standing.errand == "house"


RUNNING: Sequence[Any] = (Join(1), Join(2), Start())
REVEAL = Reveal("00", {})
REFUSED = {
    "M1-no-such-seat": ([], Join(3), "no_such_seat", "seats 0 to 2"),
    "M1-negative-seat": ([], Replace(-1, "greedy"), "no_such_seat", "seats 0 to 2"),
    "M2-taken": ([], Join(0), "seat_taken", "1, 2"),
    "M2-after-the-start": (RUNNING, Join(1), "already_started", "before the start"),
    "M3-not-held": ([], Leave(1), "not_held", "held seat"),
    "M3-after-the-start": (RUNNING, Leave(0), "already_started", "before the start"),
    "M4-open-seats": ([Join(1)], Start(), "seats_open", "Seats 2"),
    "M4-twice": (RUNNING, Start(), "already_started", "before the start"),
    "M4-move-before-the-start": ([], "move", "not_started", "owner starts"),
    "M5-move-after-the-end": ([*RUNNING, Abort()], "move", "match_over", "aborted"),
    "M7-twice": ([Abort()], Abort(), "match_over", "unended"),
    "M8-after-the-end": ([Abort()], Replace(0, "greedy"), "match_over", "before its end"),
    "M8-restore-after-the-end": (
        [Replace(0, "greedy"), Abort()],
        Restore(0),
        "match_over",
        "before its end",
    ),
    "M8-same-bot": ([Replace(0, "greedy")], Replace(0, "greedy"), "already_bot", "already"),
    "M8-not-replaced": ([], Restore(0), "not_replaced", "stands in"),
    "M9-before-the-end": (RUNNING, Reveal("00", {}), "not_over", "after the end"),
    "M13-no-such-holder": ([], ReplaceToken("seat:3"), "no_such_holder", "seat:2"),
    "M13-no-such-holder-to-revoke": (
        [],
        RevokeToken("nobody"),
        "no_such_holder",
        "owner, spectator",
    ),
    "M13-replaced-after-the-revelation": (
        [Abort(), REVEAL],
        ReplaceToken("owner"),
        "already_revealed",
        "beside",
    ),
    "M13-revoked-after-the-revelation": (
        [Abort(), REVEAL],
        RevokeToken("owner"),
        "already_revealed",
        "beside",
    ),
    "M13-erased-after-the-revelation": (
        [Abort(), REVEAL],
        EraseName(0),
        "already_revealed",
        "beside",
    ),
    "M9-twice": ([Abort(), Reveal("00", {})], Reveal("00", {}), "not_over", "once"),
}


@pytest.mark.parametrize(
    ("before", "command", "code", "hint"), REFUSED.values(), ids=[f"{name}" for name in REFUSED]
)
def test_what_the_rules_of_a_match_refuse(
    request: pytest.FixtureRequest, before: Sequence[Any], command: Any, code: str, hint: str
) -> None:
    """Each refusal names its rule and says what would be right."""
    match = after(make(HUMAN, FREE, FREE), *before)
    with pytest.raises(RuleBroken) as refused:
        after(match, GAME.opening if command == "move" else command)
    assert (refused.value.code, refused.value.rule) == (
        code,
        request.node.callspec.id.split("-")[0],
    )
    assert hint in refused.value.detail
    refusals.check(refused.value, "match")


def test_only_who_must_act_is_waited_for() -> None:
    """M6: a bot among the actors is work for the bots, a human alone is work for nobody."""
    assert make(HUMAN, HUMAN, HUMAN).standing.work == ""
    assert make(HUMAN, HUMAN, BOT).standing.work == "bots"
    assert make(HUMAN, FREE, FREE).standing.actors == ()


@pytest.mark.parametrize(
    "seats", [(FREE, FREE, FREE), (HUMAN, BOT, BOT)], ids=["M11-open", "M11-running"]
)
def test_a_match_left_alone_is_ended_by_the_house(seats: Sequence[SeatPlan]) -> None:
    """M11: it ends without a result, the house reveals (M9), and what was told of it makes the same match."""
    match = make(*seats)
    ended, events = decide(match, Expire(), CHANCE)
    assert [wire.encode(event) for event in events] == [{"type": "match_expired"}]
    assert (ended.standing.status, ended.standing.actors, ended.standing.work) == (
        "aborted",
        (HOUSE,),
        "house",
    )
    evolve(match, events[0])
    assert match == ended


@pytest.mark.parametrize("command", [Abort(), Expire()], ids=["M11-aborted", "M11-expired"])
def test_an_ended_match_does_not_expire(command: Any) -> None:
    """M11: only an unended match does."""
    ended = after(make(HUMAN, BOT, BOT), command)
    with pytest.raises(RuleBroken) as refused:
        decide(ended, Expire(), CHANCE)
    assert (refused.value.rule, refused.value.code) == ("M11", "match_over")
