"""Timers, beats and gaps."""

from collections.abc import Mapping

from service.store.journal import values
from service.store.journal.memory.store import MemoryPort


class MemoryTimers(MemoryPort):
    """Timers and beats."""

    def beat(self, time: int, longest_ms: int) -> values.Beat:
        """Note a beat of the scheduler, and return the gaps."""
        store = self._store
        with self._lock:
            now = store.clock()
            if abs(now - time) > longest_ms:
                return values.Beat(now, tuple(store.gaps))
            last = now if store.last_beat is None else store.last_beat
            set_back_ms = last - now if last - now > longest_ms else 0
            if set_back_ms:
                gaps = [gap for gap in store.gaps if gap.start < now]
                store.gaps = [values.Gap(gap.start, min(gap.end, now)) for gap in gaps]
                store.timers = {place: min(due, now) for place, due in store.timers.items()}
                store.set_backs = values.SetBacks(store.set_backs.times + 1, last)
            if now - last > longest_ms:
                store.gaps.append(values.Gap(last, now))
            store.last_beat = now
            return values.Beat(now, tuple(store.gaps), set_back_ms)

    def set_backs(self) -> values.SetBacks:
        """Return the set-backs of the clock that beats have found."""
        return self._store.set_backs

    def time(self) -> int:
        """Return the time by the store's clock."""
        return self._store.clock()

    def claim(self, leases_ms: Mapping[str, int], limit: int) -> list[values.Timer]:
        """Claim due timers, and reschedule each to the end of its lease."""
        with self._lock:
            now = self._store.clock()
            longest = max(leases_ms.values())
            due = sorted(
                (time, kind, match)
                for (kind, match), time in self._store.timers.items()
                if time <= now
            )
            claimed = [
                values.Timer(kind, match, time, now + leases_ms.get(kind, longest))
                for time, kind, match in due[:limit]
            ]
            for timer in claimed:
                self._store.timers[timer.kind, timer.match] = timer.claimed_until
        return claimed

    def settle(self, timer: values.Timer, wait_ms: int | None) -> bool:
        """Reschedule a claimed timer, unless it has changed since the claim."""
        place = (timer.kind, timer.match)
        with self._lock:
            if self._store.timers.get(place) != timer.claimed_until:
                return False
            if wait_ms is None:
                del self._store.timers[place]
            else:
                self._store.timers[place] = self._store.clock() + wait_ms
        return True

    def ring(self, kind: str, match_id: str) -> None:
        """Make a timer due now."""
        with self._lock:
            self._store.timers[kind, match_id] = self._store.clock()
