"""Matches that wait for the house or for a bot."""

from collections.abc import Sequence
from typing import Protocol

from service.store.journal import values


class PendingPort(Protocol):
    """Matches that wait for the house or for a bot."""

    def due(self, waited_ms: int, limit: int) -> list[values.Pending]:
        """Return at most `limit` matches that have waited for so long, longest first.

        Those that have failed, and those that are parked, are among them.
        """
        ...

    def totals(self) -> values.PendingTotals:
        """Return how many matches wait and how many are parked, and the longest wait."""
        ...

    def claim(self, waited_ms: int, longest_pause_ms: int, limit: int) -> list[values.Pending]:
        """Return at most `limit` matches that are to be looked at now, each put off at once.

        waited_ms: a match is to be looked at when it has waited for so long, then again after
        pauses as long as it has waited, at least `waited_ms` and at most `longest_pause_ms`.
        A match that has failed is to be looked at when its pause is over, a parked one never.
        """
        ...

    def fail(self, match_id: str, error: str, pauses_ms: Sequence[int]) -> values.Failure | None:
        """Note that the house or a bot could not act, and put the match off or park it.

        error: the type of the error.   pauses_ms: the pause after the first failure since the last
        commit, after the second and so on, ten minutes at most; the failure after the last pause
        parks the match.
        Return None, and note nothing, if the match does not wait. Its next commit takes all back.
        """
        ...

    def free(self, match_id: str) -> bool:
        """Forget the failures of a match, so that it is tried again; return whether it had any."""
        ...

    def rouse(self, match_id: str) -> bool:
        """Have a match wait from now on that was resting (`Entry.is_resting`).

        Return True if it was, and a house or bot is awaited.
        """
        ...

    def forget(self, matches: Sequence[str]) -> None:
        """Forget claims and failures of matches that do not wait any more, as their heads say."""
        ...
