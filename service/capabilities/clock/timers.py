"""Clock timers: seats run out of time, and rests end."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress

from redis.exceptions import RedisError

from service.capabilities.clock import use_cases
from service.matches.context import Context
from service.matches.timers import Pulse, TimerKind
from service.store.journal.errors import JournalUnavailable
from service.store.journal.values import Timer

_log = logging.getLogger(__name__)

LEASE_MS = 1_000
BROKEN_CLOCK_MS = 60_000  # until the next try after an unexpected error


def open_timers(ctx: Context, count: Callable[[], object]) -> TimerKind:
    """Return the kind of clock timers.

    count: counts a seat that runs out of time. May raise RedisError.
    """
    return TimerKind(LEASE_MS, ClockTimers(ctx, count).handle)


class ClockTimers:
    """Handles the due clocks of matches."""

    def __init__(self, ctx: Context, count: Callable[[], object]) -> None:
        self._ctx = ctx
        self._count = count

    def handle(self, timers: Sequence[Timer], pulse: Pulse | None) -> None:
        """See to clocks while the pulse is fresh.

        Timers that are not handled are due again after their lease.
        """
        for timer in timers:
            if pulse is not None and pulse.is_fresh(self._ctx.clock()):
                self._see_to(timer, pulse)

    def _see_to(self, timer: Timer, pulse: Pulse) -> None:
        """See to the clock of one match. An unexpected error stops no other match."""
        try:
            has_run_out = use_cases.see_to(self._ctx, timer, pulse)
        except JournalUnavailable:
            raise
        except Exception:  # noqa: BLE001 - one match must not stop the others
            _log.exception("clock could not be checked", extra={"match": timer.match})
            self._ctx.journal.timers.settle(timer, BROKEN_CLOCK_MS)
            return

        if has_run_out:
            _log.info("time ran out", extra={"match": timer.match})
            with suppress(RedisError):  # only the count is lost
                self._count()
