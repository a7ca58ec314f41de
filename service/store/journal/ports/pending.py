"""Matches that wait for the house or for a bot."""

from collections.abc import Sequence
from typing import Protocol

from service.store.journal import values


class PendingPort(Protocol):
    """Matches that wait for the house or for a bot."""

    def due(self, waited_ms: int, limit: int) -> list[values.Pending]:
        """Return at most `limit` matches that have waited for so long, longest first.

        Failed and parked matches are included.
        """
        ...

    def totals(self) -> values.PendingTotals:
        """Return the numbers of waiting and parked matches, and the longest wait."""
        ...

    def claim(self, waited_ms: int, longest_pause_ms: int, limit: int) -> list[values.Pending]:
        """Claim due matches, and reschedule each in the same step. The caller looks at each.

        waited_ms: wait of a match before its first look. Each later look comes after a pause as
        long as the wait so far, at least `waited_ms` and at most `longest_pause_ms`. A failed match
        is due at the end of its pause, a parked one never.
        limit: limit for each server with partitions.
        """
        ...

    def fail(self, match_id: str, error: str, pauses_ms: Sequence[int]) -> values.Failure | None:
        """Note that the house or a bot could not act, and reschedule the match or park it.

        error: type of the error.
        pauses_ms: pause after the first failure since the last commit, after the second and so on,
            each ten minutes at most. One failure more parks the match.

        Return None, and note nothing, if the match does not wait. The next commit of the match
        clears the note.
        """
        ...

    def free(self, match_id: str) -> bool:
        """Forget the failures of a match, so that it is tried again. Return True if it had any."""
        ...

    def rouse(self, match_id: str) -> bool:
        """Make a resting match wait from now on (`Entry.is_resting`).

        Return True if it was resting, and the house or a bot is awaited.
        """
        ...

    def forget(self, matches: Sequence[str]) -> None:
        """Forget claims and failures of matches that no longer wait by their heads."""
        ...
