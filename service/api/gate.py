"""How many requests are at work at once, how many wait for their turn, and for how long."""

import threading
from collections import deque

from prometheus_client import Gauge


class Gate:
    """Permits to work: so many at once; a bounded number waits for a bounded time, in the order of arrival.

    at_work, in_line: gauges that tell how many there are, of this process.
    """

    def __init__(
        self,
        most: int,
        *,
        waiting: int,
        seconds: float,
        at_work: Gauge | None = None,
        in_line: Gauge | None = None,
    ) -> None:
        self.most = most
        self.waiting = waiting
        self.seconds = seconds
        self._lock = threading.Lock()
        self._working = 0
        self._line: deque[threading.Lock] = deque()
        self._at_work = at_work
        self._in_line = in_line

    def enter(self) -> bool:
        """Take a permit; return False at once if too many wait already, or after `seconds` without one."""
        return self._enter(self.waiting, self.seconds)

    def enter_again(self, seconds: float) -> bool:
        """Take a permit for a request that stepped aside; it waits in the same line, however many wait there."""
        return self._enter(None, seconds)

    def leave(self) -> None:
        """Give a permit back: to whoever has waited longest, if somebody waits."""
        with self._lock:
            if self._line:
                self._line.popleft().release()
                return
            self._working -= 1
        if self._at_work is not None:
            self._at_work.dec()

    def _enter(self, waiting: int | None, seconds: float) -> bool:
        with self._lock:
            free = self._working < self.most
            if free:
                self._working += 1
            else:
                if waiting is not None and len(self._line) >= waiting:
                    return False
                turn = threading.Lock()
                turn.acquire()
                self._line.append(turn)

        if not free:
            return self._wait(turn, seconds)
        if self._at_work is not None:
            self._at_work.inc()
        return True

    def _wait(self, turn: threading.Lock, seconds: float) -> bool:
        """Return whether a permit was handed over in time; `turn` is released by whoever hands it over."""
        if self._in_line is not None:
            self._in_line.inc()
        try:
            if turn.acquire(timeout=seconds):
                return True
            with self._lock:
                if turn in self._line:
                    self._line.remove(turn)
                    return False
            return True  # it was handed over in this very moment
        finally:
            if self._in_line is not None:
                self._in_line.dec()


class Permit:
    """What one request holds of a gate; it can step aside while it waits for something and come back."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._held = False

    def take(self) -> bool:
        """Enter the gate for the first time; return whether there was room."""
        self._held = self._gate.enter()
        return self._held

    def take_again(self, seconds: float) -> bool:
        """Enter the gate anew after stepping aside; return whether there was room in so many seconds."""
        if not self._held:
            self._held = self._gate.enter_again(seconds)
        return self._held

    def give_back(self) -> None:
        """Leave the gate; nothing happens if the permit is not held."""
        if self._held:
            self._held = False
            self._gate.leave()
