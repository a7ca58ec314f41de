"""Timers of matches, and the beats of whoever sees to them."""

from collections.abc import Mapping
from typing import Protocol

from service.store.journal import values


class TimersPort(Protocol):
    """What is due in a match at a time: its clock runs out, or its webhooks are to be called.

    Timers are set by commits (`Entry.deadline`, and the field HOOKS of the metadata).
    """

    def beat(self, time: int, longest_ms: int) -> values.Beat:
        """Note that timers are seen to now; refused where an append would be.

        time: by the caller's clock; if the store's differs by more than `longest_ms`, nothing is
        noted.
        longest_ms: a longer time without a beat is a gap, which is noted, too. If the store's clock
        was set back by more, gaps end now at the latest, and all timers are due now.
        """
        ...

    def set_backs(self) -> values.SetBacks:
        """Return how often the clock was set back, by what beats have found."""
        ...

    def time(self) -> int:
        """Return the time by the clock that timers are due by."""
        ...

    def claim(self, leases_ms: Mapping[str, int], limit: int) -> list[values.Timer]:
        """Return timers that are due, each put off at once.

        leases_ms: for how long, by kind.   limit: of each server that holds partitions.
        """
        ...

    def settle(self, timer: values.Timer, wait_ms: int | None) -> bool:
        """Have a claimed timer due again in so many milliseconds, None for never.

        Return False, and change nothing, if a commit has set it since the claim.
        """
        ...

    def ring(self, kind: str, match_id: str) -> None:
        """Have a timer due now."""
        ...
