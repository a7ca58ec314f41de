"""Timers of matches: their beat and their kinds.

A beat in the journal says that a scheduler handles timers. A pause of more than LONGEST_PAUSE_MS
between two beats is a gap, and time in a gap does not count. Each kind of timer has a lease: a
claimed timer is due again after the lease, in case the claiming process dies.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from service.matches.context import Context
from service.store.journal.values import Gap, Timer

LONGEST_PAUSE_MS = 5_000  # between two beats. More is a gap
MOST_SKEW_MS = LONGEST_PAUSE_MS  # most skew between this process's clock and the journal's
FRESH_MS = 2_000  # for the timers of one round, so that the next beat comes before a gap begins


@dataclass(frozen=True, slots=True)
class Pulse:
    """The findings of one beat.

    time: by this process's clock.   skew_ms: difference of that clock from the journal's.
    gaps: the gaps that the journal has noted.
    set_back_ms: time by which the journal's clock was set back since the last beat. Mostly 0.
    """

    time: int
    skew_ms: int
    gaps: tuple[Gap, ...]
    set_back_ms: int = 0

    def may_judge(self, now: int) -> bool:
        """Return True if time may run out by this pulse: the skew is small, the pulse recent."""
        return self.skew_ms <= MOST_SKEW_MS and 0 <= now - self.time <= LONGEST_PAUSE_MS

    def is_fresh(self, now: int) -> bool:
        """Return True if timers may be handled by this pulse before the next beat."""
        return abs(now - self.time) <= FRESH_MS


def beat(ctx: Context) -> Pulse:
    """Note a beat in the journal and return its pulse. Raises JournalUnavailable."""
    sent_at = ctx.clock()
    reply = ctx.journal.timers.beat(sent_at, LONGEST_PAUSE_MS)
    skew_ms = _clock_skew_ms(sent_at, reply.time, ctx.clock())
    return Pulse(sent_at, skew_ms, reply.gaps, reply.set_back_ms)


def skew_ms(ctx: Context) -> int:
    """Return the smallest clock skew between this process and the journal, in milliseconds.

    Raises JournalUnavailable.
    """
    sent_at = ctx.clock()
    server_time = ctx.journal.timers.time()
    return _clock_skew_ms(sent_at, server_time, ctx.clock())


class TimerKind(NamedTuple):
    """One kind of timer.

    lease_ms: time until a claimed timer is due again, in case the claiming process has died.
    handle: handles claimed timers. The pulse is None while the journal takes no beat.
    """

    lease_ms: int
    handle: Callable[[Sequence[Timer], Pulse | None], None]


def _clock_skew_ms(sent_at: int, server_time: int, received_at: int) -> int:
    """Return the smallest clock skew that explains one round trip, in milliseconds."""
    return max(sent_at - server_time, server_time - received_at, 0)
