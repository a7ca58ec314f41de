"""Public matches by status and game, and idle matches by time."""

from collections.abc import Mapping
from typing import Protocol


class IndexPort(Protocol):
    """Public matches by status and game, and idle matches by time."""

    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches before a cursor, newest first.

        status: one of STATUSES, or "" for all.
        before: the last (listed, match) seen, None for the start.
        game: key of a game, or "" for all.
        """
        ...

    def listed_counts(self) -> dict[str, int]:
        """Return the number of public matches by status."""
        ...

    def written(self) -> str:
        """Return a fingerprint of all writes. No write lies between two equal fingerprints.

        "" if the store cannot tell.
        """
        ...

    def idle(self, before: int, limit: int) -> list[str]:
        """Return at most `limit` matches due for a look by a time (inclusive), first due first.

        An open or running match is due from its first commit on, until `look_again` reschedules
        it.
        """
        ...

    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Reschedule the looks at matches. None: never."""
        ...
