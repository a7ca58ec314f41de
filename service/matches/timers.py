"""Timers of matches: the beat by which they are seen to, and their kinds.

A beat in the journal says that timers are seen to. A longer pause between two beats is a gap, in
which no time counts. Each kind of timer has a lease: a claimed timer is due again after it, in case
the process that has claimed it dies.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from service.matches.context import Context
from service.store.journal.values import Gap, Timer

LONGEST_PAUSE_MS = 5_000  # between two beats; more is a gap
MOST_SKEW_MS = LONGEST_PAUSE_MS  # by which this process's clock and the journal's may differ
FRESH_MS = 2_000  # that timers may take in a round; the next beat must come before this is a gap


@dataclass(frozen=True, slots=True)
class Pulse:
    """The findings of one beat.

    time: by this process's clock.   skew_ms: its difference from the journal's clock.
    set_back_ms: the journal's clock was set back by this since the last beat; mostly 0.
    """

    time: int
    skew_ms: int
    gaps: tuple[Gap, ...]
    set_back_ms: int = 0

    def may_judge(self, now: int) -> bool:
        """Return True if time may run out by this pulse: the skew is small, the pulse is new."""
        return self.skew_ms <= MOST_SKEW_MS and 0 <= now - self.time <= LONGEST_PAUSE_MS

    def is_fresh(self, now: int) -> bool:
        """Return True if timers may be seen to by this pulse before the next beat."""
        return abs(now - self.time) <= FRESH_MS


def beat(ctx: Context) -> Pulse:
    """Note a beat in the journal and return its pulse; raises JournalUnavailable."""
    before = ctx.clock()
    found = ctx.journal.timers.beat(before, LONGEST_PAUSE_MS)
    skew = _skew(before, found.time, ctx.clock())
    return Pulse(before, skew, found.gaps, found.set_back_ms)


def skew_ms(ctx: Context) -> int:
    """Return the least difference between this process's clock and the journal's.

    Raises JournalUnavailable.
    """
    before = ctx.clock()
    there = ctx.journal.timers.time()
    return _skew(before, there, ctx.clock())


class TimerKind(NamedTuple):
    """One kind of timer.

    lease_ms: a claimed timer is due again after this: a process that has died holds it up so long.
    handle: sees to claimed timers. The pulse is None while the journal takes no beat.
    """

    lease_ms: int
    handle: Callable[[Sequence[Timer], Pulse | None], None]


def _skew(before: int, there: int, after: int) -> int:
    """Return the distance of a time from the two between which it was told, 0 within them."""
    return max(before - there, there - after, 0)
