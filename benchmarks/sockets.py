"""HTTP on raw sockets, so that a client costs little of a processor.

What it sends is made before, and of an answer it reads no more than where that ends. So a server is
measured, and not the client; whatever server is asked, the client does the same.
"""

import select
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.web import HOST, REQUEST_SECONDS

_RECEIVED_AT_ONCE = 1_048_576  # bytes
_HEAD_END = b"\r\n\r\n"
_LENGTH = b"\r\ncontent-length:"
_LAST_CHUNK = b"\r\n0\r\n\r\n"
_STATUS = slice(9, 12)  # in "HTTP/1.1 200 OK"
_UNCHANGED = 304  # has no body


def request_bytes(method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    """Return a request as it is sent."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + _HEAD_END + body


@dataclass
class Played:
    """What came of requests: how long all took, and each from the time when it was due."""

    elapsed: float = 0.0
    seconds: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Requests that were answered in a second."""
        return len(self.seconds) / self.elapsed


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
            one.close()
    return played


class _Sender:
    """One connection, its requests one after the other, and what has come of the answer."""

    def __init__(self, port: int, requests: Sequence[bytes], dues: Sequence[float]) -> None:
        """Connect; each request is due at a time of `perf_counter`."""
        self._socket = socket.create_connection((HOST, port), REQUEST_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._to_send = iter(zip(requests, dues, strict=True))
        self._received = bytearray()
        # How many bytes the whole answer has: None before its head is there, 0 if it has chunks.
        self._length: int | None = None

        self.waits = False
        self.done = False
        self._request = b""
        self.due = 0.0
        self._take_next()

    def fileno(self) -> int:
        """Return what `select` asks for."""
        return self._socket.fileno()

    def send(self) -> None:
        """Send the next request, and wait for its answer from now on."""
        self._received.clear()
        self._length = None
        self._socket.sendall(self._request)
        self.waits = True

    def receive(self, status: int) -> bool:
        """Take what has come; return whether the answer is whole."""
        piece = self._socket.recv(_RECEIVED_AT_ONCE)
        assert piece, "the server has closed the connection"
        self._received += piece
        if not self._is_whole():
            return False

        assert self._status == status, self._status
        self.waits = False
        self._take_next()
        return True

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    @property
    def _status(self) -> int:
        return int(self._received[_STATUS])

    def _take_next(self) -> None:
        following = next(self._to_send, None)
        if following is None:
            self.done = True
        else:
            self._request, self.due = following

    def _is_whole(self) -> bool:
        if self._length is None:
            self._length = self._whole_length()
        if self._length is None:
            return False
        if self._length:
            return len(self._received) >= self._length
        return self._received.endswith(_LAST_CHUNK)

    def _whole_length(self) -> int | None:
        """Return how many bytes the answer has, 0 if it has chunks; None: not said yet."""
        head, found, _ = self._received.partition(_HEAD_END)
        if not found:
            return None

        head_length = len(head) + len(_HEAD_END)
        if self._status == _UNCHANGED:
            return head_length
        _, found, length = head.lower().partition(_LENGTH)
        return head_length + int(length.split(b"\r\n")[0]) if found else 0


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
