"""The owner replaces seats of a running match: only after a silence (M8), by no adviser (M21)."""

from dataclasses import replace

import pytest

from service.base.errors import Illegal, Invalid
from service.matches import automation, lobby
from service.matches.context import Context
from service.matches.forks import is_unadvised
from service.matches.opening import NewMatch, OpenRequest, open_new, read_request
from service.matches.repository import load
from service.record.commit import milliseconds
from service.record.terms.fork import ForkRequest
from tests.service.matches.conftest import by
from tests.service.toy_matches import first_match_rules

HOUR = 3_600_000
HUMANS = [{"kind": "human"}, {"kind": "human"}]
CLOCK = {"bank_s": 60, "move_s": 0, "level": "strong"}


def at(ctx: Context, milliseconds: int) -> Context:
    """Return the context at a later time, with a silence of 24 hours."""
    time = ctx.clock() + milliseconds
    return replace(ctx, clock=lambda: time, silence_ms=24 * HOUR)


def opened(ctx: Context, **more: object) -> NewMatch:
    """Open a match of Firenze for two humans."""
    return open_new(ctx, read_request(game="firenze", seats=HUMANS, **more))


def test_a_seat_is_replaced_after_a_day_of_silence(ctx: Context) -> None:
    """An earlier replacement is refused with its earliest time."""
    match = opened(ctx)
    with pytest.raises(Illegal, match="not_silent") as refused:
        lobby.replace(at(ctx, 23 * HOUR), by(match, "owner"), 1, "random")
    assert "Try again after 20" in str(refused.value)

    lobby.replace(at(ctx, 25 * HOUR), by(match, "owner"), 1, "random")
    assert load(ctx, match.loaded.id).match.seats[1].level == "random"


def test_the_time_of_a_replacement_is_told(ctx: Context) -> None:
    """A match with a clock has no such time. By match rules 1 it is the time of the opening."""
    silent, timed = opened(ctx).loaded, opened(ctx, clock=CLOCK).loaded
    with first_match_rules():
        first = opened(ctx, clock=CLOCK).loaded
    times = [lobby.replaceable_from(at(ctx, 0), one) for one in (silent, timed, first)]
    openings = [milliseconds(one.time) for one in (silent, first)]
    assert times == [openings[0] + 24 * HOUR, None, openings[1]]


def test_a_seat_of_a_lobby_is_replaced_at_once(ctx: Context) -> None:
    """Before the start a seat is replaced without a silence."""
    seats = [{"kind": "human"}, {"kind": "open"}]
    match = open_new(ctx, OpenRequest("firenze", seats))
    lobby.replace(at(ctx, 0), by(match, "owner"), 0, "random")
    lobby.replace(at(ctx, 0), by(match, "owner"), 1, "random")


def test_by_the_first_match_rules_no_silence_is_awaited(ctx: Context) -> None:
    """In a match by match rules 1 a seat is replaced without a silence."""
    with first_match_rules():
        match = opened(ctx)
    lobby.replace(at(ctx, 0), by(match, "owner"), 1, "random")


def fork_of(ctx: Context, base: NewMatch, **more: object) -> NewMatch:
    """Fork a match at its head, as its owner."""
    version = load(ctx, base.loaded.id).version
    fork = ForkRequest(base.loaded.id, version, base.tokens["owner"])
    seats = more.pop("seats", HUMANS)
    return open_new(ctx, read_request(game="firenze", seats=seats, fork=fork, **more))


@pytest.mark.parametrize("level", ["quick", "strong"])
def test_a_fork_of_a_running_match_takes_no_adviser(ctx: Context, level: str) -> None:
    """Searching bots are refused at a seat, as stand-ins of the clock, and later by the owner."""
    base = opened(ctx)
    seats = [{"kind": "human"}, {"kind": "bot", "level": level}]
    with pytest.raises(Invalid) as refused:
        fork_of(ctx, base, seats=seats)
    assert [place.pointer for place in refused.value.places] == ["/seats/1/level"]
    with pytest.raises(Invalid) as refused:
        fork_of(ctx, base, clock={**CLOCK, "level": level})
    assert [place.pointer for place in refused.value.places] == ["/clock/level"]

    fork = fork_of(ctx, base)
    with pytest.raises(Invalid) as refused:
        lobby.replace(ctx, by(fork, "owner"), 1, level)
    assert [place.pointer for place in refused.value.places] == ["/level"]
    lobby.replace(ctx, by(fork, "owner"), 1, "greedy")


def test_a_fork_of_a_match_with_advice_takes_searching_bots(ctx: Context) -> None:
    """If the base has advice, its fork may have searching bots."""
    base = opened(ctx, advice=True)
    fork_of(ctx, base, seats=[{"kind": "human"}, {"kind": "bot", "level": "strong"}])
    assert not is_unadvised(ctx, base.loaded.id)


def test_a_fork_of_a_fork_gives_no_advice_on_the_first_base(ctx: Context) -> None:
    """Even if the fork between has ended, a fork of it takes no adviser."""
    base = opened(ctx)
    between = fork_of(ctx, base)
    lobby.abort(ctx, by(between, "owner"))
    assert is_unadvised(ctx, between.loaded.id)


def test_once_the_base_has_ended_its_fork_takes_any_bot(ctx: Context) -> None:
    """After the end of the base its fork takes searching bots."""
    base = opened(ctx)
    fork = fork_of(ctx, base)
    lobby.abort(ctx, by(base, "owner"))
    automation.act(ctx, base.loaded.id)
    assert not is_unadvised(ctx, base.loaded.id)
    lobby.replace(ctx, by(fork, "owner"), 1, "strong")
