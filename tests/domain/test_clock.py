"""Clocks, resigning and coming back (M15, M16 of docs/rules/match.md)."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from domain.errors import BadOption, RuleBroken
from domain.games import GAMES
from domain.match.match_rules import NEWEST
from domain.match.messages import (
    Abort,
    ClockPlan,
    Replace,
    ReplaceToken,
    Resign,
    Restore,
    Return,
    RunOut,
    SeatPlan,
    SeatReplaced,
    SeatResigned,
    SeatRestored,
    Start,
    TimeRanOut,
)
from domain.match.terms.clock import is_possible, read_clock
from domain.seats import seat_actor
from tests.domain import refusals
from tests.domain.sitting import BOT, HUMAN, Sitting
from tests.terms import clock_of

CALIMALA = GAMES["calimala"]
FIRENZE = GAMES["firenze"]
PLAN = ClockPlan(bank_s=60, move_s=10, level="greedy")
WITHOUT_MORE = ClockPlan(bank_s=60, move_s=0, level="greedy")


def sitting(
    plan: ClockPlan | None = PLAN,
    seats: Sequence[SeatPlan] = (HUMAN, HUMAN),
    match_rules: int | None = NEWEST,
) -> Sitting:
    """Return a match of Firenze, set up, with seat 0 to move."""
    played = Sitting(FIRENZE, seats, plan, match_rules=match_rules)
    assert played.match.status.seats == (0,)
    return played


def banks(played: Sitting) -> list[float]:
    """Return each seat's remaining time at the last commit, in seconds."""
    return [bank / 1000 for bank in clock_of(played.match).banks]


def whole_turn(played: Sitting, seconds: float) -> None:
    """Let the seat of the turn play until another one is awaited, in so many seconds."""
    seat = played.match.status.seats[0]
    played.move(seconds)
    while played.match.status.seats == (seat,):
        played.move()


def run_out(played: Sitting, seconds: float = 60) -> Sitting:
    """Let the time of seat 0 run out."""
    played.do(RunOut(0, clock_of(played.match).due(0)), "house", seconds)
    return played


# ---- who pays ------------------------------------------------------------------------------------


def test_only_the_seat_that_may_act_pays() -> None:
    """M15: only the seat that may act pays."""
    played = sitting()
    played.do(ReplaceToken("owner"), "owner", seconds=7)
    assert banks(played) == [53, 60]
    played.do(ReplaceToken("owner"), "owner", seconds=3)
    assert banks(played) == [50, 60]


def test_after_a_turn_the_added_seconds_go_into_the_bank() -> None:
    """M15: after a turn the added seconds go into the bank."""
    played = sitting()
    whole_turn(played, 25)
    assert banks(played) == [45, 60]
    whole_turn(played, 15)
    assert banks(played) == [45, 55]


def test_a_bank_never_holds_more_than_at_first() -> None:
    """M15: a bank never holds more than at first."""
    played = sitting()
    whole_turn(played, 4)
    assert banks(played) == [60, 60]


def test_a_move_after_the_bank_is_empty_counts() -> None:
    """M15: no move is refused for being late: the first entry in the history counts."""
    played = sitting()
    whole_turn(played, 1_000)
    assert banks(played) == [10, 60]
    assert played.match.seats[0].kind == "human"


def test_several_seats_pay_at_once() -> None:
    """M15: in Calimala all keep a scoring card first. A seat that has kept one pays no more."""
    played = Sitting(CALIMALA, (HUMAN, HUMAN, HUMAN), PLAN)
    assert played.match.status.seats == (0, 1, 2)

    played.move(seconds=20)
    assert banks(played) == [50, 40, 40]
    played.move(seconds=20)
    assert banks(played) == [50, 30, 20]


def test_nobody_pays_while_a_bot_is_awaited() -> None:
    """M15: nobody pays while a bot is awaited."""
    played = Sitting(CALIMALA, (HUMAN, HUMAN, BOT), PLAN)
    played.do(ReplaceToken("owner"), "owner", seconds=20)
    assert banks(played) == [60, 60, 60]


def test_nobody_pays_before_the_start_or_after_the_end() -> None:
    """M15: nobody pays before the start or after the end."""
    played = Sitting(FIRENZE, (HUMAN, SeatPlan("open")), PLAN)
    played.do(ReplaceToken("owner"), "owner", seconds=100)
    played.do(Replace(1, "greedy"), "owner", seconds=100)
    assert banks(played) == [60, 60]

    played.do(Start(), "owner", seconds=100)
    played.do(Abort(), "owner", seconds=5)
    played.do(ReplaceToken("owner"), "owner", seconds=100)
    assert banks(played) == [55, 60]


def test_a_told_time_follows_from_the_requested_moment() -> None:
    """M15: the remaining time at any moment follows from the last commit."""
    clock = clock_of(sitting().match)
    assert clock is not None
    assert clock.paying == (0,)
    assert clock.next_due == clock.due(0) == clock.since + 60_000
    assert clock.banks_at(clock.since + 1_500) == (58_500, 60_000)
    assert clock.banks_at(clock.since + 999_999) == (0, 60_000)


def test_time_never_runs_back() -> None:
    """M15: a commit with an earlier time costs nobody anything, and brings nobody anything."""
    clock = clock_of(sitting().match)
    assert clock is not None
    earlier = clock.since - 5_000
    assert clock.advance(earlier, clock.awaited, mover=None, is_running=True) == clock


# ---- running out, coming back, resigning ---------------------------------------------------------


def test_a_bot_stands_in_when_the_time_runs_out() -> None:
    """M15: a bot stands in when the time runs out."""
    played = sitting()
    due = played.now + 60_000
    run_out(played)

    assert played.events == [TimeRanOut(0, due), SeatReplaced(0, "greedy")]
    assert played.match.status.bots == (0,)
    assert played.match.away == (0,)
    assert banks(played) == [0, 60]


def test_a_returning_player_has_the_added_seconds() -> None:
    """M15: a returning player has the added seconds."""
    played = run_out(sitting())
    assert played.do(Return(0), seconds=500) == [SeatRestored(0)]
    assert banks(played) == [10, 60]
    assert played.match.away == ()
    assert played.match == sitting_like(played)


def sitting_like(played: Sitting) -> Any:
    """Return the match of a sitting, with the seats of its beginning."""
    match = played.match.copy()
    match.seats = sitting().match.seats
    return match


@pytest.mark.parametrize("by", ["time", "owner"])
def test_the_turn_of_a_bot_that_stands_in_adds_nothing(by: str) -> None:
    """M15: the bank stays the same during the turn of a stand-in."""
    played = sitting(match_rules=None if by == "owner" else NEWEST)
    if by == "time":
        run_out(played)
    else:
        played.do(Replace(0, "greedy"), "owner", seconds=45)
    before = banks(played)
    whole_turn(played, 5)
    assert played.match.status.seats == (1,)
    assert banks(played) == before

    played.do(Return(0) if by == "time" else Restore(0), "owner")
    assert banks(played) == [10 if by == "time" else 15, 60]


def test_the_owner_gives_a_seat_back_in_the_same_way() -> None:
    """M15: a seat that the owner gives back has the added seconds, too."""
    played = run_out(sitting(match_rules=None))
    played.do(Replace(0, "random"), "owner")
    assert played.do(Restore(0), "owner", seconds=5) == [SeatRestored(0)]
    assert banks(played) == [10, 60]


@pytest.mark.parametrize("plan", [None, PLAN, WITHOUT_MORE], ids=["no clock", "clock", "no more"])
def test_a_player_replaced_by_the_owner_gets_no_added_seconds(plan: ClockPlan | None) -> None:
    """M8: the human plays on, with the time that was left."""
    played = sitting(plan=plan, match_rules=None)
    played.do(Replace(0, "greedy"), "owner")
    assert played.match.may_return(0)
    assert played.do(Return(0), seconds=5) == [SeatRestored(0)]
    assert not played.match.may_return(0)
    if plan is not None:
        assert banks(played) == [60, 60]


def test_a_bot_plays_a_seat_that_has_resigned() -> None:
    """M16: a bot plays a seat that has resigned."""
    played = sitting()
    assert played.do(Resign(1, "greedy")) == [SeatResigned(1), SeatReplaced(1, "greedy")]
    assert played.match.away == (1,)


def test_a_seat_resigns_without_a_clock_as_well() -> None:
    """M16: a seat resigns without a clock as well."""
    played = sitting(plan=None)
    played.do(Resign(1, "random"))
    assert played.match.seats[1].level == "random"


Before = Callable[[Sitting], object]

REFUSED: dict[str, tuple[ClockPlan | None, Before, Any, float, str]] = {
    "M15-without-a-clock": (None, lambda _: None, RunOut(0, 0), 60, "no_clock"),
    "M15-before-it-is-due": (PLAN, lambda _: None, RunOut(0, 1_060_000), 59.999, "not_due"),
    "M15-wrong-due": (PLAN, lambda _: None, RunOut(0, 1_059_999), 60, "not_due"),
    "M15-not-paying": (PLAN, lambda _: None, RunOut(1, 1_060_000), 60, "not_paying"),
    "M15-twice": (PLAN, run_out, RunOut(0, 1_060_000), 60, "not_paying"),
    "M15-after-the-end": (
        PLAN,
        lambda played: played.do(Abort(), "owner"),
        RunOut(0, 1_060_000),
        60,
        "not_paying",
    ),
    "M8-back-though-never-away": (PLAN, lambda _: None, Return(0), 1, "not_replaced"),
    "M15-back-after-the-end": (
        PLAN,
        lambda played: run_out(played).do(Abort(), "owner"),
        Return(0),
        1,
        "match_over",
    ),
    "M15-back-with-no-time": (WITHOUT_MORE, run_out, Return(0), 1, "no_time_left"),
    "M15-given-back-with-no-time": (WITHOUT_MORE, run_out, Restore(0), 1, "no_time_left"),
    "M16-another-level": (PLAN, lambda _: None, Resign(0, "random"), 1, "wrong_level"),
    "M16-twice": (
        PLAN,
        lambda played: played.do(Resign(0, "greedy")),
        Resign(0, "greedy"),
        1,
        "seat_held_by_bot",
    ),
    "M16-comes-back": (
        PLAN,
        lambda played: played.do(Resign(0, "greedy")),
        Return(0),
        1,
        "resigned",
    ),
    "M16-given-back": (
        PLAN,
        lambda played: played.do(Resign(0, "greedy")),
        Restore(0),
        1,
        "resigned",
    ),
    "M16-after-the-end": (
        PLAN,
        lambda played: played.do(Abort(), "owner"),
        Resign(0, "greedy"),
        1,
        "match_over",
    ),
}


@pytest.mark.parametrize(
    ("plan", "before", "command", "seconds", "code"), REFUSED.values(), ids=REFUSED
)
def test_illegal_commands_are_refused(
    request: pytest.FixtureRequest,
    plan: ClockPlan | None,
    before: Before,
    command: Any,
    seconds: float,
    code: str,
) -> None:
    """Each refusal has the expected rule and code."""
    played = sitting(plan)
    before(played)

    with pytest.raises(RuleBroken) as refused:
        played.do(command, "house", seconds)

    assert refused.value.code == code
    assert refused.value.rule == request.node.callspec.id.partition("-")[0]
    refusals.check(refused.value, "match")


def test_a_match_that_has_not_started_is_left_not_resigned() -> None:
    """M16: nobody can resign before the start. A seat may be left then."""
    played = Sitting(FIRENZE, (HUMAN, SeatPlan("open")), PLAN)
    with pytest.raises(RuleBroken) as refused:
        played.do(Resign(0, "greedy"))
    assert (refused.value.rule, refused.value.code) == ("M16", "not_started")


# ---- the clock that is asked for -----------------------------------------------------------------

LEVELS = ("greedy", "random")
GIVEN = {"bank_s": 60, "move_s": 10, "level": "greedy"}
BAD: dict[str, tuple[dict[str, Any], list[tuple[str | int, ...]]]] = {
    "M15-bank-too-small": (GIVEN | {"bank_s": 4}, [("bank_s",)]),
    "M15-bank-too-large": (GIVEN | {"bank_s": 2_592_001}, [("bank_s",)]),
    "M15-negative-move": (GIVEN | {"move_s": -1}, [("move_s",)]),
    "M15-move-too-large": (GIVEN | {"move_s": 2_592_001}, [("move_s",)]),
    "M15-a-flag-is-no-number": (GIVEN | {"bank_s": True}, [("bank_s",)]),
    "M15-no-such-level": (GIVEN | {"level": "perfect"}, [("level",)]),
    "M15-all-at-once": (
        {"bank_s": "9", "more": 1},
        [("more",), ("bank_s",), ("move_s",), ("level",)],
    ),
}


@pytest.mark.parametrize(("document", "places"), BAD.values(), ids=BAD)
def test_a_clock_that_is_wrong_is_refused_by_member(
    document: dict[str, Any], places: list[tuple[str | int, ...]]
) -> None:
    """Every member that is wrong or missing is named."""
    with pytest.raises(BadOption) as refused:
        read_clock(document, LEVELS, (HUMAN, BOT))
    assert [error.path for error in refused.value.all] == places


def test_the_least_and_the_most_are_taken() -> None:
    """M15: the least and the most are taken."""
    for bank, more in ((5, 0), (2_592_000, 2_592_000)):
        plan = read_clock({"bank_s": bank, "move_s": more, "level": "random"}, LEVELS, (HUMAN, BOT))
        assert plan == ClockPlan(bank, more, "random")
        assert is_possible(plan, (HUMAN, BOT))


def test_bots_alone_have_no_clock() -> None:
    """M15: bots alone have no clock."""
    with pytest.raises(BadOption) as refused:
        read_clock(GIVEN, LEVELS, (BOT, BOT))
    assert refused.value.path == ()
    assert not is_possible(PLAN, (BOT, BOT))


@pytest.mark.parametrize("plan", [ClockPlan(4, 0, "a"), ClockPlan(5, -1, "a"), ClockPlan(5, 0, "")])
def test_a_record_with_another_clock_is_no_record(plan: ClockPlan) -> None:
    """M15: a record with another clock is not a record."""
    assert not is_possible(plan, (HUMAN, BOT))


# ---- a law ---------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_each_seat_pays_for_the_time_that_it_was_awaited(game: Any, data: st.DataObject) -> None:
    """M15: a seat pays for the time in which it was awaited, unless a bot or the house was, too.

    Nobody pays twice, no bank leaves its bounds, and a bank that is not run out loses exactly the
    awaited time.
    """
    seats = [HUMAN] * (game.seats[0] - 1) + [data.draw(st.sampled_from((HUMAN, BOT)))]
    played = Sitting(game, seats, PLAN)

    for _ in range(data.draw(st.integers(1, 25))):
        before = played.match
        seconds = data.draw(st.integers(0, 30))
        someone_waits_in_vain = before.status.awaiting != ""
        awaited = () if someone_waits_in_vain else before.status.seats
        was_awaited = before.status.seats

        late = [seat for seat in awaited if clock_of(before).banks[seat] <= seconds * 1000]
        house_looks: bool = data.draw(st.booleans())
        human_looks: bool = data.draw(st.booleans())
        if late and house_looks:
            played.do(RunOut(late[0], clock_of(before).due(late[0])), "house", seconds)
            mover = None
        elif before.away and human_looks:
            played.do(Return(before.away[0]), seconds=seconds)
            mover = None
        else:
            mover = before.status.actors[0]
            played.move(seconds)

        after = played.match
        back = {event.seat for event in played.events if isinstance(event, SeatRestored)}
        for seat, bank in enumerate(clock_of(before).banks):
            paid = min(bank, seconds * 1000) if seat in awaited else 0
            is_human = before.seats[seat].kind == "human"
            has_moved = seat == mover and seat in was_awaited and is_human
            ended = has_moved and seat not in after.status.seats
            more = 10_000 if ended or seat in back else 0
            assert clock_of(after).banks[seat] == min(60_000, bank - paid + more), seat_actor(seat)
            assert 0 <= clock_of(after).banks[seat] <= 60_000
        if after.status.name != "running":
            break


# ---- the owner replaces a seat (M8) --------------------------------------------------------------


def refused(played: Sitting, command: Replace) -> str:
    """Return the code of the owner's refusal."""
    with pytest.raises(RuleBroken) as caught:
        played.do(command, "owner")
    return caught.value.code


@pytest.mark.parametrize("seat", [0, 1])
def test_the_owner_replaces_no_seat_that_has_time_left(seat: int) -> None:
    """M8: while a seat has time left the owner cannot replace it, awaited or not."""
    assert refused(sitting(), Replace(seat, "random")) == "time_left"


def test_the_owner_does_not_weaken_a_stand_in_after_a_run_out() -> None:
    """M8: the stand-in keeps the clock's level. A human who is back has time, and stays."""
    played = run_out(sitting())
    assert refused(played, Replace(0, "random")) == "wrong_level"
    assert refused(played, Replace(0, PLAN.level)) == "already_bot"
    played.do(Return(0))
    assert refused(played, Replace(0, "random")) == "time_left"


@pytest.mark.parametrize("plan", [None, PLAN], ids=["no clock", "clock"])
def test_the_owner_does_not_replace_a_seat_that_has_resigned(plan: ClockPlan | None) -> None:
    """M16: the bot of a resigned seat plays to the end."""
    played = sitting(plan)
    played.do(Resign(0, PLAN.level))
    assert refused(played, Replace(0, "random")) == "resigned"


def test_by_the_first_match_rules_the_owner_replaces_any_seat() -> None:
    """M8: match rules 1 allow it for a seat with time left, and for one that has resigned."""
    played = sitting(match_rules=None)
    assert played.do(Replace(1, "random"), "owner") == [SeatReplaced(1, "random")]
    played.do(Resign(0, PLAN.level))
    assert played.do(Replace(0, "random"), "owner") == [SeatReplaced(0, "random")]
