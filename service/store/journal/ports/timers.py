"""Timers of matches, and the beats of the scheduler."""

from collections.abc import Mapping
from typing import Protocol

from service.store.journal import values


class TimersPort(Protocol):
    """Timers of matches, by kind (`values.TIMER_KINDS`).

    Commits set both kinds: CLOCK by `Entry.deadline`, and HOOK if the metadata has the field
    WEBHOOK_NONCE. `ring` sets any timer.
    """

    def beat(self, time: int, longest_ms: int) -> values.Beat:
        """Note a beat of the scheduler. A store that refuses appends refuses this too.

        time: by the caller's clock. If the store's clock differs by more than `longest_ms`, nothing
            is noted.
        longest_ms: a longer time without a beat is noted as a gap. If the store's clock was set
            back by more, gaps end now at the latest, and all timers are due now.
        """
        ...

    def set_backs(self) -> values.SetBacks:
        """Return the set-backs of the clock that beats have found."""
        ...

    def time(self) -> int:
        """Return the time by the clock that the timers use."""
        ...

    def claim(self, leases_ms: Mapping[str, int], limit: int) -> list[values.Timer]:
        """Claim due timers, and reschedule each to the end of its lease.

        leases_ms: leases by kind. A timer of another kind gets the longest of them.
        limit: limit for each server with partitions.
        """
        ...

    def settle(self, timer: values.Timer, wait_ms: int | None) -> bool:
        """Reschedule a claimed timer. `wait_ms=None` cancels it.

        Return False, and change nothing, if the timer has changed since the claim, for example by a
        commit or another claim.
        """
        ...

    def ring(self, kind: str, match_id: str) -> None:
        """Make a timer due now."""
        ...
