"""Public matches by status and game, and idle matches by time."""

from collections.abc import Mapping
from typing import Protocol


class IndexPort(Protocol):
    """Matches found by what they are: public ones by status and game, idle ones by time."""

    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches before a cursor, newest first.

        status: one of STATUSES, or "" for all.
        before: the last (listed, match) seen, None for the start.
        game: its key, or "" for all.
        """
        ...

    def listed_counts(self) -> dict[str, int]:
        """Return how many public matches there are of each status."""
        ...

    def written(self) -> str:
        """Return a fingerprint of all that was written; an equal one says: nothing since.

        "" where the store does not know.
        """
        ...

    def idle(self, before: int, limit: int) -> list[str]:
        """Return at most `limit` matches to be looked at by a time, inclusive, first due first.

        A match that has not ended is due from its first commit on, until `look_again` puts it off.
        """
        ...

    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Set when matches are to be looked at again; None: never."""
        ...
