"""Timers of matches, and the beats of the scheduler."""

from collections.abc import Mapping
from typing import Protocol

from service.store.journal import values


class TimersPort(Protocol):
    """Timers of matches, by kind (`values.TIMER_KINDS`).

    Commits set the timers of clocks and webhooks (`Entry.deadline`, and the field WEBHOOK_NONCE of
    the metadata). `ring` sets any timer.
    """

    def beat(self, time: int, longest_ms: int) -> values.Beat:
        """Note a beat of the scheduler. Refused if an append would be.

        time: by the caller's clock. If the store's clock differs by more than `longest_ms`, nothing
            is noted.
        longest_ms: a longer time without a beat is a gap. Gaps are noted, too. If the store's clock
            was set back by more, gaps end now at the latest, and all timers are due now.
        """
        ...

    def set_backs(self) -> values.SetBacks:
        """Return the number of set-backs of the clock that beats found, and the last one."""
        ...

    def time(self) -> int:
        """Return the time of the clock of the timers."""
        ...

    def claim(self, leases_ms: Mapping[str, int], limit: int) -> list[values.Timer]:
        """Claim due timers, and reschedule each to the end of its lease.

        leases_ms: leases by kind. A timer of another kind is claimed for the longest lease.
        limit: limit for each server with partitions.
        """
        ...

    def settle(self, timer: values.Timer, wait_ms: int | None) -> bool:
        """Reschedule a claimed timer. `wait_ms=None` cancels it.

        Return False, and change nothing, if a commit has set the timer since the claim.
        """
        ...

    def ring(self, kind: str, match_id: str) -> None:
        """Make a timer due now."""
        ...
