"""Requests over several connections, each at the time when it is due."""

import select
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.sockets import Connection
from benchmarks.web import REQUEST_SECONDS


@dataclass
class Played:
    """What came of requests: how long all took, and each from the time when it was due."""

    elapsed: float = 0.0
    seconds: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Requests that were answered in a second."""
        return len(self.seconds) / self.elapsed


class _Sender:
    """Sends the requests of one connection, one after the other."""

    def __init__(self, port: int, requests: Sequence[bytes], dues: Sequence[float]) -> None:
        """Connect; each request is due at a time of `perf_counter`."""
        self.connection = Connection(port)
        self._to_send = iter(zip(requests, dues, strict=True))
        self.waits = False
        self.done = False
        self._request = b""
        self.due = 0.0
        self._take_next()

    def fileno(self) -> int:
        """Return what `select` asks for."""
        return self.connection.fileno()

    def send(self) -> None:
        """Send the next request, and wait for its answer from now on."""
        self.connection.send(self._request)
        self.waits = True

    def receive(self, status: int) -> bool:
        """Take what has come; return whether the answer is whole."""
        if not self.connection.receive():
            return False

        assert self.connection.status == status, self.connection.status
        self.waits = False
        self._take_next()
        return True

    def _take_next(self) -> None:
        following = next(self._to_send, None)
        if following is None:
            self.done = True
        else:
            self._request, self.due = following


def play(
    port: int, requests: Sequence[Sequence[bytes]], rate: float = 0, status: int = 201
) -> Played:
    """Send the requests of each connection, and return what came of them.

    rate: so many are due in a second, one connection after the other; 0: all of them are due now.
    status: of every answer.
    """
    start = time.perf_counter()
    step = 1 / rate if rate else 0.0
    many = len(requests)
    senders = []
    for number, own_requests in enumerate(requests):
        dues = [start + (turn * many + number) * step for turn in range(len(own_requests))]
        senders.append(_Sender(port, own_requests, dues))

    played = Played()
    try:
        while any(not one.done for one in senders):
            _turn(senders, played, status)
        played.elapsed = time.perf_counter() - start
    finally:
        for one in senders:
            one.connection.close()
    return played


def _turn(senders: Sequence[_Sender], played: Played, status: int) -> None:
    """Send what is due, and take the answers that come before anything else is."""
    now = time.perf_counter()
    soonest = now + REQUEST_SECONDS
    for one in senders:
        if one.waits or one.done:
            continue
        if one.due <= now:
            one.send()
        else:
            soonest = min(soonest, one.due)

    waiting = [one for one in senders if one.waits]
    seconds = max(0.0, soonest - time.perf_counter())
    ready, _, _ = select.select(waiting, [], [], seconds)
    for one in ready:
        due = one.due
        if one.receive(status):
            played.seconds.append(time.perf_counter() - due)
