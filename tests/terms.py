"""Terms of a match."""

from domain.match.state import Match
from domain.match.terms import clock, take_back
from domain.match.terms.clock import Clock
from domain.match.terms.take_back import TakeBack


def clock_of(match: Match) -> Clock:
    """Return the clock of a match."""
    match_clock = clock.clock_of(match)
    assert match_clock is not None, "it was opened with a clock"
    return match_clock


def take_back_of(match: Match) -> TakeBack:
    """Return the take-back of a match."""
    state = take_back.take_back_of(match)
    assert state is not None, "it was opened with take-back"
    return state
