"""Timers: due, claimed and settled, and the beats of the scheduler."""

from collections.abc import Mapping, Sequence

from service.store.journal.encoding import read_gaps
from service.store.journal.keys import BEAT
from service.store.journal.redis.connection import (
    Argument,
    Reply,
    follows_moves,
    retries_once,
    translates_errors,
)
from service.store.journal.redis.scripts import claim_name, groups
from service.store.journal.redis.store import RedisPort, Request
from service.store.journal.values import Beat, SetBacks, Timer

_WOKEN_AT_ONCE = 10_000  # timers made due by one script
_MOST_GAPS = 6_000  # bytes of all gaps, about 200 of them. The oldest are dropped first


class RedisTimers(RedisPort):
    """Timers and beats."""

    @retries_once
    def beat(self, time: int, longest_ms: int) -> Beat:
        """Note a beat of the scheduler, and return the gaps."""
        arguments = [time, longest_ms, _MOST_GAPS]
        beat = self._beat(*arguments, "")
        if beat.set_back_ms == 0:
            return beat

        # Wake the timers before the beat is noted: after a crash in between, the next beat sees the
        # set-back again.
        store = self._store
        while sum(store.send_each(store.scripts.wake, store.keys.roots, [_WOKEN_AT_ONCE])):
            pass
        return self._beat(*arguments, "1")

    def _beat(self, *arguments: int | str) -> Beat:
        there, gaps, set_back_ms = self._store.scripts.beat(keys=[BEAT], args=arguments)
        return Beat(there, read_gaps(gaps.decode()), set_back_ms)

    @retries_once
    def set_backs(self) -> SetBacks:
        """Return the set-backs of the clock that beats have found."""
        [contents] = self._store.send(Request([("HMGET", BEAT, "set_backs", "ahead_until")]))
        times, ahead_until = (int(value or 0) for value in contents)
        return SetBacks(times, ahead_until)

    @retries_once
    def time(self) -> int:
        """Return the time by the clock of the server that stores the beats."""
        seconds, microseconds = self._store.holder(BEAT).time()
        return int(seconds) * 1000 + int(microseconds) // 1000

    def claim(self, leases_ms: Mapping[str, int], limit: int) -> list[Timer]:
        """Claim due timers, and reschedule each to the end of its lease."""
        leases: list[Argument] = [part for lease in leases_ms.items() for part in lease]
        return self._claim([limit, claim_name(), *leases])

    @retries_once
    def _claim(self, arguments: Sequence[Argument]) -> list[Timer]:
        store = self._store
        answers = store.send_each(store.scripts.timers, store.keys.roots, arguments)

        claimed = []
        for answer in answers:
            for member, due, claimed_until in groups(answer, 3):
                kind, match = member.decode().split(":")
                claimed.append(Timer(kind, match, int(due), int(claimed_until)))

        claimed.sort(key=lambda timer: timer.due)
        return claimed

    @translates_errors
    @follows_moves
    def settle(self, timer: Timer, wait_ms: int | None) -> bool:
        """Reschedule a claimed timer, unless it has changed since the claim."""
        answer = self._settle(timer.kind, timer.match, str(timer.claimed_until), wait_ms)
        return bool(answer)

    @translates_errors
    @follows_moves
    def ring(self, kind: str, match_id: str) -> None:
        """Make a timer due now."""
        self._settle(kind, match_id, "", 0)

    def _settle(self, kind: str, match_id: str, claimed_until: str, wait_ms: int | None) -> Reply:
        timers = self._keys.timers[self._keys.partition_of(match_id)]
        wait = "" if wait_ms is None else wait_ms
        arguments = [f"{kind}:{match_id}", claimed_until, wait]
        return self._store.scripts.settle(keys=[timers], args=arguments)
