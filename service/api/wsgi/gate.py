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
        handed_over = self._hand_over()
        if not handed_over and self._at_work is not None:
            self._at_work.dec()

    def pause(self) -> None:
        """Let another work while a request that has a permit is busy elsewhere for a moment."""
        handed_over = self._hand_over()
        if handed_over and self._at_work is not None:
            self._at_work.inc()

    def resume(self) -> None:
        """Go on after a pause without waiting: for a moment one more than `most` may be at work."""
        with self._lock:
            self._working += 1

    def _hand_over(self) -> bool:
        """Let go of a permit; return whether somebody who waited has it now."""
        with self._lock:
            if self._line:
                self._line.popleft().release()
                return True
            self._working -= 1
            return False

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

    def pause(self) -> None:
        """Let another work for a moment; nothing happens if the permit is not held."""
        if self._held:
            self._gate.pause()

    def resume(self) -> None:
        """Go on after `pause`, at once."""
        if self._held:
            self._gate.resume()

    def give_back(self) -> None:
        """Leave the gate; nothing happens if the permit is not held."""
        if self._held:
            self._held = False
            self._gate.leave()
