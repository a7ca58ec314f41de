"""A gate: how many requests are at work at once, how many wait for their turn, and for how long."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from service import metrics
from service.api.wsgi import Environ
from service.errors import Overloaded

NO_ROOM = "The service has more requests at hand than it can answer; nothing was done."

_PERMIT = "giornale.permit"  # key of the WSGI environment
# So long a request waits to go on after its permit was released; it may have waited for a minute.
_BACK_SECONDS = 10.0


class Measure(Protocol):
    """A gauge."""

    def inc(self) -> None:
        """Count one more."""

    def dec(self) -> None:
        """Count one less."""


class Unmeasured:
    """A gauge that keeps nothing."""

    def inc(self) -> None:
        """Do nothing."""

    def dec(self) -> None:
        """Do nothing."""


class Gate:
    """Permits to work: so many at once.

    Of the others a bounded number waits in line for a bounded time; a permit that is given back
    goes to the request that has waited longest.
    """

    def __init__(
        self,
        most: int,
        *,
        waiting: int,
        seconds: float,
        at_work: Measure | None = None,
        in_line: Measure | None = None,
    ) -> None:
        """Make a gate of `most` permits; so many requests may wait for one, so many seconds."""
        self.most = most
        self.waiting = waiting
        self.seconds = seconds
        # How many hold a permit, counted by the permits; how many wait.
        self.at_work: Measure = at_work or Unmeasured()
        self.in_line: Measure = in_line or Unmeasured()

        self._lock = threading.Lock()
        self._working = 0
        self._line: deque[threading.Lock] = deque()

    def enter(self) -> bool:
        """Take a permit.

        Return False at once if too many wait already, or after `seconds` without one.
        """
        with self._lock:
            if self._take_if_free():
                return True
            if len(self._line) >= self.waiting:
                return False
            turn = self._stand_in_line()
        return self._wait(turn, self.seconds)

    def enter_again(self, seconds: float) -> bool:
        """Take a permit for a request whose permit was released, within so many seconds.

        It waits in the same line, however many wait there.
        """
        with self._lock:
            if self._take_if_free():
                return True
            turn = self._stand_in_line()
        return self._wait(turn, seconds)

    def leave(self) -> None:
        """Give a permit back: to the request that has waited longest, if one waits."""
        with self._lock:
            if self._line:
                self._line.popleft().release()
            else:
                self._working -= 1

    def enter_uninvited(self) -> None:
        """Take a permit at once: for a moment one more than `most` may be at work."""
        with self._lock:
            self._working += 1

    def _take_if_free(self) -> bool:
        if self._working >= self.most:
            return False
        self._working += 1
        return True

    def _stand_in_line(self) -> threading.Lock:
        """Return a turn at the end of the line: a lock, released when a permit is handed over."""
        turn = threading.Lock()
        turn.acquire()
        self._line.append(turn)
        return turn

    def _wait(self, turn: threading.Lock, seconds: float) -> bool:
        """Return whether a permit was handed over in time."""
        self.in_line.inc()
        try:
            if turn.acquire(timeout=seconds):
                return True
            with self._lock:
                if turn in self._line:
                    self._line.remove(turn)
                    return False
            return True  # it was handed over in this very moment
        finally:
            self.in_line.dec()


class Permit:
    """What one request holds of a gate.

    It is in one of these states:

        outside  --take, take_again-->  held    --give_back-->  outside
        held     --pause-->             paused  --resume-->     held

    A request that waits for something gives its permit back and takes it again to go on, for which
    it may have to wait. A request that is busy elsewhere for a moment pauses: another may work
    meanwhile, and this one goes on without waiting.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._held = False

    def take(self) -> bool:
        """Enter the gate for the first time; return whether there was room."""
        return self._took(self._gate.enter())

    def take_again(self, seconds: float) -> bool:
        """Enter the gate again; return whether there was room in so many seconds."""
        return self._held or self._took(self._gate.enter_again(seconds))

    def give_back(self) -> None:
        """Leave the gate; nothing happens if the permit is not held."""
        if self._held:
            self._held = False
            self._gate.at_work.dec()
            self._gate.leave()

    def pause(self) -> None:
        """Let another work for a moment; nothing happens if the permit is not held."""
        if self._held:
            self._gate.leave()

    def resume(self) -> None:
        """Go on after `pause`, at once."""
        if self._held:
            self._gate.enter_uninvited()

    def _took(self, entered: bool) -> bool:
        self._held = entered
        if entered:
            self._gate.at_work.inc()
        return entered


def keep_permit(environ: Environ, permit: Permit) -> None:
    """Keep a request's permit where `released` finds it."""
    environ[_PERMIT] = permit


@contextmanager
def released(environ: Environ) -> Iterator[None]:
    """Give back the permit to work while a request waits on purpose.

    Raises Overloaded if it gets none afterwards.
    """
    permit: Permit | None = environ.get(_PERMIT)
    if permit is None:
        yield
        return

    permit.give_back()
    yield
    if not permit.take_again(_BACK_SECONDS):
        metrics.SHED.labels("work").inc()
        raise Overloaded(NO_ROOM)
