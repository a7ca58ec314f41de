"""The matches of the journal in memory that wait for the house or a bot.

`service.journal.port` says what each method promises. The journal calls them behind its lock.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from service.journal.values import Failure, Pending, PendingTotals


@dataclass(frozen=True, slots=True)
class _Wait:
    """One match that waits.

    since: when it began to wait.   again: when it is to be looked at, None before the first look.
    tries: how often it has failed.   error: the type of the last error.
    """

    since: int
    again: int | None = None
    tries: int = 0
    error: str = ""
    parked: bool = False


class PendingIndex:
    """Who waits since when, and when to look at it; `clock` returns milliseconds."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._waits: dict[str, _Wait] = {}

    def begin(self, match_id: str) -> None:
        """Note that a match waits from now on."""
        self._waits[match_id] = _Wait(self._clock())

    def end(self, match_id: str) -> None:
        """Note that a match does not wait."""
        self._waits.pop(match_id, None)

    def found(self, waited_ms: int, limit: int) -> list[Pending]:
        """Return matches that have waited for so long, longest first."""
        all_waits = [self._told(match) for match in self._waits]
        long_enough = [told for told in all_waits if told.waited >= waited_ms]
        long_enough.sort(key=lambda told: (-told.waited, told.match))
        return long_enough[:limit]

    def totals(self) -> PendingTotals:
        """Return how many wait and how many are parked, and the longest wait."""
        all_waits = [self._told(match) for match in self._waits]
        waits = [told.waited for told in all_waits if not told.parked]
        return PendingTotals(
            waiting=len(waits),
            parked=len(all_waits) - len(waits),
            longest_wait=max(waits, default=0),
        )

    def claim(self, waited_ms: int, longest_pause_ms: int, limit: int) -> list[Pending]:
        """Return matches that are to be looked at now, each put off until its next look."""
        now = self._clock()
        due = [told for told in self.found(0, len(self._waits)) if self._is_due(told, waited_ms)]
        # Those that were never claimed come first, so that many that fail do not keep them out.
        due.sort(key=lambda told: self._waits[told.match].again is not None)
        claimed = due[:limit]

        for told in claimed:
            pause = min(max(told.waited, waited_ms, 1), longest_pause_ms)
            self._waits[told.match] = replace(self._waits[told.match], again=now + pause)
        return claimed

    def fail(self, match_id: str, error: str, pauses_ms: Sequence[int]) -> Failure | None:
        """Note a failure, and put the match off or park it."""
        wait = self._waits.get(match_id)
        if wait is None:
            return None

        tries = wait.tries + 1
        parked = tries > len(pauses_ms)
        again = None if parked else self._clock() + pauses_ms[tries - 1]
        self._waits[match_id] = replace(
            wait,
            again=again,
            tries=tries,
            error=error,
            parked=parked,
        )
        return Failure(tries, parked)

    def free(self, match_id: str) -> bool:
        """Forget the failures of a match; return whether it had any."""
        wait = self._waits.get(match_id)
        if wait is None or not wait.tries:
            return False

        self._waits[match_id] = _Wait(wait.since)
        return True

    def _told(self, match_id: str) -> Pending:
        wait = self._waits[match_id]
        return Pending(
            match=match_id,
            waited=max(self._clock() - wait.since, 0),
            tries=wait.tries,
            error=wait.error,
            parked=wait.parked,
        )

    def _is_due(self, told: Pending, waited_ms: int) -> bool:
        wait = self._waits[told.match]
        if wait.parked:
            return False
        if wait.again is None:
            return told.waited >= waited_ms or wait.since > self._clock()
        return wait.again <= self._clock()
