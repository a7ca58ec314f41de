"""A gate: permits to work, and a line in front of them that is fair to callers and addresses.

    outside --enter: a permit is free and the sender has fewer than `each`--> at work
    outside --enter: otherwise, and the line has room--> in line
    outside --enter: otherwise--> refused
    in line --leave of another: the first of those that may work--> at work
    in line --no permit in time, or dropped for another--> refused

A caller or address with `each` permits waits for a further permit, so a busy sender leaves permits
for others. A free permit goes to the address in line with the least processor time in the last
seconds, and there to the caller with the least processor time. Equal requests go in the order of
their arrival. If the line is full, the address with the most requests in line loses its last
request to an address with at least two fewer.

Threads of requests call `enter` and `leave` at the same time. The lock guards the whole state, and
a turn is decided once, with the lock held. So no request gets a permit and is refused at the same
time.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from service.api.http.limits import Sender
from service.api.wsgi import Environ
from service.base import metrics
from service.base.errors import Overloaded

NO_ROOM = "The service has too many requests. Nothing was done."

_PERMIT = "giornale.permit"  # key of the WSGI environment
# Longest wait to take a released permit again. The request may have waited for a minute before.
_BACK_SECONDS = 10.0
# Processor time counts for one to two spans of this length.
_USAGE_SECONDS = 10.0
_SHARES = 4  # one sender has at most 1/_SHARES of the permits


def share_of(permits: int) -> int:
    """Return the number of permits that one caller or one address may hold."""
    return max(1, permits // _SHARES)


class Measure(Protocol):
    """A gauge."""

    def inc(self) -> None:
        """Count one more."""

    def dec(self) -> None:
        """Count one less."""


class Unmeasured:
    """A gauge without a value."""

    def inc(self) -> None:
        """Do nothing."""

    def dec(self) -> None:
        """Do nothing."""


class Usage:
    """Processor time by caller and address, in seconds, of the last 10 to 20 seconds."""

    def __init__(self) -> None:
        self._span = 0
        self._current: Counter[str] = Counter()
        self._previous: Counter[str] = Counter()

    def add(self, sender: Sender, seconds: float) -> None:
        """Add processor time of a request."""
        span = int(time.monotonic() / _USAGE_SECONDS)
        if span != self._span:
            self._previous = self._current if span == self._span + 1 else Counter()
            self._current = Counter()
            self._span = span
        for name in set(sender):
            self._current[name] += seconds  # type: ignore[assignment]  # a Counter takes floats

    def of(self, name: str) -> float:
        """Return the processor time of a caller or address."""
        return self._current[name] + self._previous[name]


class _QueuedRequest:
    """One request in line."""

    __slots__ = ("decided", "has_permit", "may_be_dropped", "sender")

    def __init__(self, sender: Sender, *, may_be_dropped: bool) -> None:
        self.sender = sender
        self.may_be_dropped = may_be_dropped
        self.has_permit = False
        # Released once the turn is decided.
        self.decided = threading.Lock()
        self.decided.acquire()


class Gate:
    """Permits to work, bounded in all and for each caller and address."""

    def __init__(
        self,
        most: int,
        *,
        waiting: int,
        seconds: float,
        at_work: Measure | None = None,
        in_line: Measure | None = None,
    ) -> None:
        """Make a gate of `most` permits.

        waiting: most requests in line.   seconds: longest time in line.
        """
        self.most = most
        self.each = share_of(most)
        self.waiting = waiting
        self.seconds = seconds
        # Requests at work, including paused requests, and requests in line.
        self.at_work: Measure = at_work or Unmeasured()
        self.in_line: Measure = in_line or Unmeasured()

        self._lock = threading.Lock()
        self._working = 0
        self._held: Counter[str] = Counter()  # permits by caller and address
        self._usage = Usage()
        self._line: dict[_QueuedRequest, None] = {}  # in the order of arrival

    def enter(self, sender: Sender) -> bool:
        """Take a permit.

        Return False at once if the line is full, or after `seconds` without a permit.
        """
        with self._lock:
            if self._may_work(sender):
                self._hand_to(sender)
                return True
            if len(self._line) >= self.waiting and not self._make_room_for(sender):
                return False
            turn = self._stand_in_line(sender, may_be_dropped=True)
        return self._wait(turn, self.seconds)

    def enter_again(self, sender: Sender, seconds: float) -> bool:
        """Take a permit again after its release, within `seconds`.

        The request waits in the same line, even if it is full, and is not dropped from it.
        """
        with self._lock:
            if self._may_work(sender):
                self._hand_to(sender)
                return True
            turn = self._stand_in_line(sender, may_be_dropped=False)
        return self._wait(turn, seconds)

    def leave(self, sender: Sender, processor_seconds: float = 0.0) -> None:
        """Give a permit back after some processor time. The next in line that may work gets it."""
        with self._lock:
            self._working -= 1
            for name in set(sender):
                self._held[name] -= 1
                if not self._held[name]:
                    del self._held[name]
            self._usage.add(sender, processor_seconds)
            self._let_next_work()

    def enter_uninvited(self, sender: Sender) -> None:
        """Take a permit at once, even if `most` requests are at work."""
        with self._lock:
            self._hand_to(sender)

    # ---- with the lock held ----------------------------------------------------------------------

    def _may_work(self, sender: Sender) -> bool:
        if self._working >= self.most:
            return False
        return all(self._held[name] < self.each for name in sender)

    def _hand_to(self, sender: Sender) -> None:
        self._working += 1
        self._held.update(set(sender))

    def _let_next_work(self) -> None:
        candidates = [turn for turn in self._line if self._may_work(turn.sender)]
        if candidates:
            turn = min(candidates, key=self._usage_of)
            self._hand_to(turn.sender)
            self._decide(turn, has_permit=True)

    def _usage_of(self, turn: _QueuedRequest) -> tuple[float, float]:
        return self._usage.of(turn.sender.address), self._usage.of(turn.sender.caller)

    def _make_room_for(self, sender: Sender) -> bool:
        """Drop the last request of the address with the most requests in line.

        Drop it only if that address has at least two requests more than the sender's address.
        Return True if a request was dropped.
        """
        by_address = Counter(turn.sender.address for turn in self._line if turn.may_be_dropped)
        if not by_address:
            return False
        [(address, number)] = by_address.most_common(1)
        if number <= by_address[sender.address] + 1:
            return False

        of_address = (turn for turn in reversed(self._line) if turn.sender.address == address)
        self._decide(next(turn for turn in of_address if turn.may_be_dropped), has_permit=False)
        return True

    def _stand_in_line(self, sender: Sender, *, may_be_dropped: bool) -> _QueuedRequest:
        turn = _QueuedRequest(sender, may_be_dropped=may_be_dropped)
        self._line[turn] = None
        return turn

    def _decide(self, turn: _QueuedRequest, *, has_permit: bool) -> None:
        del self._line[turn]
        turn.has_permit = has_permit
        turn.decided.release()

    # ---- without the lock ------------------------------------------------------------------------

    def _wait(self, turn: _QueuedRequest, seconds: float) -> bool:
        """Return True if a permit was handed over in time."""
        self.in_line.inc()
        try:
            if not turn.decided.acquire(timeout=seconds):
                with self._lock:
                    self._line.pop(turn, None)
            return turn.has_permit
        finally:
            self.in_line.dec()


class Permit:
    """The permit of one request at a gate, and its state.

        outside  --take, take_again-->  held    --give_back-->  outside
        held     --pause-->             paused  --resume-->     held

    A request that waits for something gives its permit back, and takes it again to go on, perhaps
    after a wait in line. A request that reads its own body pauses: another request may work
    meanwhile, and the paused request goes on without a wait. Only the thread of the request calls
    these methods, so the processor time of the thread is that of the request.
    """

    def __init__(self, gate: Gate, sender: Sender) -> None:
        self._gate = gate
        self._sender = sender
        self._held = False
        self._began = 0.0  # processor time of the thread

    def take(self) -> bool:
        """Enter the gate for the first time. Return True with the permit."""
        return self._took(self._gate.enter(self._sender))

    def take_again(self, seconds: float) -> bool:
        """Enter the gate again. Return True with the permit, False without one after `seconds`."""
        return self._held or self._took(self._gate.enter_again(self._sender, seconds))

    def give_back(self) -> None:
        """Leave the gate. Does nothing without a permit."""
        if self._held:
            self._held = False
            self._gate.at_work.dec()
            self._leave()

    def pause(self) -> None:
        """Let another work for a moment. Does nothing without the permit."""
        if self._held:
            self._leave()

    def resume(self) -> None:
        """Go on after `pause`, at once."""
        if self._held:
            self._gate.enter_uninvited(self._sender)
            self._began = time.thread_time()

    def _leave(self) -> None:
        self._gate.leave(self._sender, time.thread_time() - self._began)

    def _took(self, entered: bool) -> bool:
        self._held = entered
        if entered:
            self._gate.at_work.inc()
            self._began = time.thread_time()
        return entered


def keep_permit(environ: Environ, permit: Permit) -> None:
    """Store the permit of a request for `released`."""
    environ[_PERMIT] = permit


@contextmanager
def released(environ: Environ) -> Iterator[None]:
    """Give back the permit to work during a wait.

    Raises Overloaded if no permit is free for _BACK_SECONDS afterwards.
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
