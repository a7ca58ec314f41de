"""Matches that wait: listed, claimed and rescheduled.

Each partition has its own indexes, so `due`, `totals` and `claim` go to all partitions. The wait of
a match is measured by the clock of its server alone, so a wrong clock elsewhere hides no match.
"""

from collections.abc import Sequence

from service.store.journal.redis.connection import (
    Argument,
    follows_moves,
    retries_once,
    translates_errors,
)
from service.store.journal.redis.scripts import claim_name, groups
from service.store.journal.redis.store import RedisPort
from service.store.journal.values import Failure, Pending, PendingTotals


class RedisPending(RedisPort):
    """Waits, claims and failures of matches."""

    @retries_once
    def due(self, waited_ms: int, limit: int) -> list[Pending]:
        """Return matches that have waited for so long, longest first."""
        store = self._store
        arguments = [waited_ms, limit]
        answers = store.send_each(store.scripts.pending, store.keys.roots, arguments)

        matches = []
        for answer in answers:
            for match, waited, record, parked in groups(answer, 4):
                matches.append(_read_pending(match, waited, record, parked=parked == 1))

        matches.sort(key=_longest_first)
        return matches[:limit]

    @retries_once
    def totals(self) -> PendingTotals:
        """Return the numbers of waiting and parked matches, and the longest wait."""
        answers = self._store.send_each(self._store.scripts.totals, self._keys.roots)
        counts = [PendingTotals(*answer) for answer in answers]
        return PendingTotals(
            waiting=sum(count.waiting for count in counts),
            parked=sum(count.parked for count in counts),
            longest_wait=max(count.longest_wait for count in counts),
        )

    def claim(self, waited_ms: int, longest_pause_ms: int, limit: int) -> list[Pending]:
        """Claim due matches, and reschedule each in the same step.

        limit: limit for each server with partitions.
        """
        return self._claim([waited_ms, longest_pause_ms, limit, claim_name()])

    @retries_once
    def _claim(self, arguments: Sequence[Argument]) -> list[Pending]:
        store = self._store
        answers = store.send_each(store.scripts.claim, store.keys.roots, arguments)

        claimed = []
        for answer in answers:
            for match, waited, record in groups(answer, 3):
                claimed.append(_read_pending(match, waited, record, parked=False))

        claimed.sort(key=_longest_first)
        return claimed

    @translates_errors
    @follows_moves
    def fail(self, match_id: str, error: str, pauses_ms: Sequence[int]) -> Failure | None:
        """Note a failure, and reschedule the match or park it."""
        tries, parked = self._store.scripts.fail(
            keys=self._keys.of_failure(match_id),
            args=[match_id, error, *pauses_ms],
        )
        return Failure(tries, parked == 1) if tries else None

    @translates_errors
    @follows_moves
    def free(self, match_id: str) -> bool:
        """Forget the failures of a match. Return True if it had any."""
        _head, *keys = self._keys.of_failure(match_id)
        return bool(self._store.scripts.free(keys=keys, args=[match_id]))

    @translates_errors
    @follows_moves
    def rouse(self, match_id: str) -> bool:
        """Make a resting match wait. Return True if it was resting."""
        keys = self._keys.of_failure(match_id)
        return bool(self._store.scripts.rouse(keys=keys, args=[match_id]))

    @retries_once
    def forget(self, matches: Sequence[str]) -> None:
        """Forget claims and failures of matches that no longer wait.

        A commit may make a match wait again meanwhile. Such a wait is not forgotten, since it
        stands in :pending until it is claimed.
        """
        keys = self._keys
        with self._store.pipeline() as pipeline:
            for match in matches:
                late, again, failing = keys.late[keys.partition_of(match)]
                pipeline.zrem(late, match)
                pipeline.zrem(again, match)
                pipeline.hdel(failing, match)

            pipeline.execute()


def _longest_first(pending: Pending) -> tuple[int, str]:
    return -pending.waited, pending.match


def _read_pending(match: bytes, waited: int, record: bytes, *, parked: bool) -> Pending:
    """Return a pending match from the scripts' values. fail.lua writes the record."""
    tries, error = "0", ""
    if record:
        _version, tries, _since, error = record.decode().split("|", 3)
    return Pending(match.decode(), waited, int(tries), error, parked)
