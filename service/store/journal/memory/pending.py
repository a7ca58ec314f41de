"""Matches that wait, in a dictionary."""

from collections.abc import Sequence
from dataclasses import replace

from service.store.journal import values
from service.store.journal.memory.store import MemoryPort, Wait


class MemoryPending(MemoryPort):
    """The waits of matches, and the times of looks."""

    def due(self, waited_ms: int, limit: int) -> list[values.Pending]:
        """Return matches that have waited for so long, longest first."""
        with self._lock:
            long_enough = [one for one in self._all() if one.waited >= waited_ms]
        long_enough.sort(key=lambda one: (-one.waited, one.match))
        return long_enough[:limit]

    def totals(self) -> values.PendingTotals:
        """Return the numbers of waiting and parked matches, and the longest wait."""
        with self._lock:
            pending = self._all()
        waits = [one.waited for one in pending if not one.parked]
        return values.PendingTotals(
            waiting=len(waits),
            parked=len(pending) - len(waits),
            longest_wait=max(waits, default=0),
        )

    def claim(self, waited_ms: int, longest_pause_ms: int, limit: int) -> list[values.Pending]:
        """Claim due matches, and reschedule each."""
        with self._lock:
            waits = self._store.waits
            due = [one for one in self.due(0, len(waits)) if self._is_due(one, waited_ms)]
            # New matches come first, so that many failing ones do not use up the limit.
            due.sort(key=lambda one: waits[one.match].again is not None)
            claimed = due[:limit]

            now = self._store.clock()
            for one in claimed:
                pause = min(max(one.waited, waited_ms, 1), longest_pause_ms)
                waits[one.match] = replace(waits[one.match], again=now + pause)
        return claimed

    def fail(self, match_id: str, error: str, pauses_ms: Sequence[int]) -> values.Failure | None:
        """Note a failure, and reschedule the match or park it."""
        with self._lock:
            wait = self._store.waits.get(match_id)
            if wait is None:
                return None

            tries = wait.tries + 1
            parked = tries > len(pauses_ms)
            again = None if parked else self._store.clock() + pauses_ms[tries - 1]
            self._store.waits[match_id] = Wait(wait.since, again, tries, error, parked)
        return values.Failure(tries, parked)

    def free(self, match_id: str) -> bool:
        """Forget the failures of a match. Return True if it had any."""
        with self._lock:
            wait = self._store.waits.get(match_id)
            if wait is None or not wait.tries:
                return False

            self._store.waits[match_id] = Wait(wait.since)
        return True

    def rouse(self, match_id: str) -> bool:
        """Make a resting match wait. Return True if it was resting."""
        with self._lock:
            match = self._store.matches.get(match_id)
            if match is None or not match.head.awaiting or match_id in self._store.waits:
                return False
            self._store.waits[match_id] = Wait(self._store.clock())
        return True

    def forget(self, matches: Sequence[str]) -> None:
        """Do nothing: here a match that does not wait has neither claim nor failure."""

    def _all(self) -> list[values.Pending]:
        now = self._store.clock()
        return [
            values.Pending(
                match=match,
                waited=max(now - wait.since, 0),
                tries=wait.tries,
                error=wait.error,
                parked=wait.parked,
            )
            for match, wait in self._store.waits.items()
        ]

    def _is_due(self, pending: values.Pending, waited_ms: int) -> bool:
        wait = self._store.waits[pending.match]
        now = self._store.clock()
        if wait.parked:
            return False
        if wait.again is None:
            return pending.waited >= waited_ms or wait.since > now
        return wait.again <= now
