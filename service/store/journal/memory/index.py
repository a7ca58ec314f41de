"""Public matches and idle ones, sorted for each question."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping

from service.store.journal import values
from service.store.journal.memory.store import MemoryPort


class MemoryIndex(MemoryPort):
    """Public matches, sorted for each list, and the times of idle ones."""

    def listing(
        self, status: str, before: tuple[int, str] | None, limit: int, game: str = ""
    ) -> list[tuple[int, str]]:
        """Return (listed, match) of public matches, newest first."""
        oldest_first = sorted(
            (head.listed, match)
            for match, head in self._public_heads()
            if status in ("", head.status) and game in ("", head.game)
        )
        end = len(oldest_first) if before is None else bisect_left(oldest_first, before)
        newest_first = oldest_first[:end][::-1]
        return newest_first[:limit]

    def listed_counts(self) -> dict[str, int]:
        """Return the number of public matches by status."""
        counts = Counter(head.status for _, head in self._public_heads())
        return {status: counts[status] for status in values.STATUSES}

    def _public_heads(self) -> list[tuple[str, values.Head]]:
        with self._lock:
            heads = [(name, match.head) for name, match in self._store.matches.items()]
        return [(name, head) for name, head in heads if head.visibility == "public"]

    def written(self) -> str:
        """Return "", since the store does not count its writes."""
        return ""

    def idle(self, before: int, limit: int) -> list[str]:
        """Return matches due for a look by a time."""
        with self._lock:
            times = self._store.idle.items()
            due = sorted((time, match) for match, time in times if time <= before)
        return [match for _, match in due[:limit]]

    def look_again(self, times: Mapping[str, int | None]) -> None:
        """Reschedule the looks at matches."""
        with self._lock:
            for match, time in times.items():
                if time is None:
                    self._store.idle.pop(match, None)
                else:
                    self._store.idle[match] = time
