"""HTTP on raw sockets, so that a client costs little of a processor.

Its requests are made before, and it reads an answer no further than to find its end. So the server
is measured, and not the client. The client does the same with every server.
"""

import re
import select
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from benchmarks.measure import p99
from benchmarks.web import HOST, REQUEST_SECONDS
from tests.running import address_of

RETRIED = (429, 503)  # the server has done nothing
PAUSE_SECONDS = 1.0

_RECEIVED_AT_ONCE = 1_048_576  # bytes
_HEAD_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
_LAST_CHUNK = b"\r\n0\r\n\r\n"
_STATUS = slice(9, 12)  # in "HTTP/1.1 200 OK"
_UNCHANGED = 304  # has no body


def request_bytes(method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    """Return the bytes of a request."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + _HEAD_END + body


class Sender:
    """One connection, its requests one after the other, and the bytes of the current answer."""

    def __init__(
        self, port: int, requests: Iterable[tuple[bytes, float]], address: str = HOST
    ) -> None:
        """Connect from an address.

        Each request has the time of `perf_counter` when it is due, 0 for at once.
        """
        self.socket = socket.create_connection((HOST, port), REQUEST_SECONDS, (address, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._requests = iter(requests)
        self._received = bytearray()
        # Bytes of the whole answer: None before its head is there, 0 if it has chunks.
        self._length: int | None = None
        self.waits = False
        self.take_next()

    def fileno(self) -> int:
        """Return the file number, for `select`."""
        return self.socket.fileno()

    def take_next(self) -> None:
        """Take the next request, if there is one."""
        following = next(self._requests, None)
        self.done = following is None
        self._request, self.due = following or (b"", 0.0)
        self.begins = self.due  # or later, if it is sent again

    def send(self) -> None:
        """Send the request, and wait for its answer from now on."""
        self.due = self.due or time.perf_counter()
        self._received.clear()
        self._length = None
        self.socket.sendall(self._request)
        self.waits = True

    def receive(self) -> int | None:
        """Take received bytes. Return the answer's status once it is whole."""
        piece = self.socket.recv(_RECEIVED_AT_ONCE)
        assert piece, "the server has closed the connection"
        self._received += piece
        if self._length is None and _HEAD_END in self._received:
            self._status = int(self._received[_STATUS])
            end = self._received.index(_HEAD_END) + len(_HEAD_END)
            length = _LENGTH.search(self._received, 0, end)
            if self._status == _UNCHANGED:
                self._length = end
            else:
                self._length = end + int(length[1]) if length else 0

        chunks_end = self._length == 0 and self._received.endswith(_LAST_CHUNK)
        self.waits = not (chunks_end or (self._length and len(self._received) >= self._length))
        return None if self.waits else self._status


@dataclass(frozen=True)
class Service:
    """A service at a port, a function for the requests of each connection, and the status."""

    port: int
    prepare: Callable[[], Sequence[Sequence[bytes]]]
    status: int = 201

    def rate(self) -> float:
        """Send requests as fast as they are answered. Return the rate in a second."""
        return play(self.port, self.prepare(), status=self.status).rate

    def slowest_ms(self, rate: float) -> float:
        """Send so many requests a second. Return the p99 of their milliseconds."""
        return p99(play(self.port, self.prepare(), rate, self.status).times)


@dataclass
class Played:
    """The results of requests: milliseconds of each from its due time, and of all.

    statuses: the number of answers of each, also to requests that were sent again.
    """

    elapsed: float = 0.0
    times: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        """Answered requests a second."""
        return 1000 * len(self.times) / self.elapsed


def play(
    port: int,
    requests: Sequence[Iterable[bytes]],
    rate: float = 0,
    status: int = 201,
    speaks: type[Sender] = Sender,
) -> Played:
    """Send the requests of each connection, and return the results.

    A connection takes its next request after the answer to the one before. After 429 or 503 the
    request is sent again after a pause. Each connection has an address of its own if possible.

    rate: due requests a second, one connection after the other. 0: each is due at once.
    status: of every other answer.   speaks: class of a connection.
    """
    start = time.perf_counter()
    played = Played()
    senders = []
    try:
        for number, own in enumerate(requests):
            dues = count(start + number / rate, len(requests) / rate) if rate else count(0, 0)
            senders.append(speaks(port, zip(own, dues, strict=False), address_of(number)))
        start = time.perf_counter()
        while any(not one.done for one in senders):
            _turn(senders, played, status)
        played.elapsed = 1000 * (time.perf_counter() - start)
    finally:
        for one in senders:
            one.socket.close()
    return played


def _turn(senders: Sequence[Sender], played: Played, status: int) -> None:
    """Send all due requests, and take the answers that come before the next is due."""
    now = time.perf_counter()
    soonest = now + REQUEST_SECONDS
    for one in senders:
        if one.waits or one.done:
            continue
        if one.begins <= now:
            one.send()
        else:
            soonest = min(soonest, one.begins)

    waiting = [one for one in senders if one.waits]
    ready, _, _ = select.select(waiting, [], [], max(0.0, soonest - time.perf_counter()))
    for one in ready:
        answered = one.receive()
        if answered is None:
            continue

        played.statuses[answered] += 1
        now = time.perf_counter()
        if answered in RETRIED:
            one.begins = now + PAUSE_SECONDS
            continue
        assert answered == status, answered
        played.times.append(1000 * (now - one.due))
        one.take_next()
