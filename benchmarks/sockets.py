"""Clients that cost little: requests made beforehand, on raw sockets, in one thread."""

import json
import re
import select
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.web import HOST, REQUEST_SECONDS

_CREATED = b"HTTP/1.1 201"
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)\r\n", re.IGNORECASE)
_END_OF_HEADERS = b"\r\n\r\n"
_BUFFER_BYTES = 65536


def request_bytes(path: str, move: Any, token: str, version: int) -> bytes:
    """Return a request that posts a move for a version."""
    body = json.dumps(move).encode()
    lines = (
        f"POST {path} HTTP/1.1",
        f"Host: {HOST}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"Authorization: Bearer {token}",
        f'If-Match: "{version}"',
    )
    return "\r\n".join(lines).encode() + _END_OF_HEADERS + body


@dataclass
class Played:
    """What came of requests: how long all took, and each from the time when it was due."""

    elapsed: float = 0.0
    seconds: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Requests that were answered in a second."""
        return len(self.seconds) / self.elapsed


class Connection:
    """One connection, which sends its requests one after the other."""

    def __init__(self, port: int, requests: Sequence[bytes], dues: Sequence[float]) -> None:
        """Connect; each request is due at a time of `perf_counter`."""
        self._socket = socket.create_connection((HOST, port), timeout=REQUEST_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._to_send = iter(zip(requests, dues, strict=True))
        self._received = b""
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
        self._socket.sendall(self._request)
        self.waits = True

    def receive(self) -> bool:
        """Take what has come; return whether the answer is whole."""
        self._received += self._socket.recv(_BUFFER_BYTES)
        headers, end, body = self._received.partition(_END_OF_HEADERS)
        if not end:
            assert headers, "the service has closed the connection"
            return False

        length = _LENGTH.search(headers + b"\r\n")
        assert headers.startswith(_CREATED), self._received
        assert length, headers
        if len(body) < int(length[1]):
            return False
        self._received = b""
        self.waits = False
        self._take_next()
        return True

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _take_next(self) -> None:
        following = next(self._to_send, None)
        if following is None:
            self.done = True
        else:
            self._request, self.due = following


def play(port: int, requests: Sequence[Sequence[bytes]], rate: float = 0) -> Played:
    """Send the requests of each connection, and return what came of them.

    rate: so many are due in a second, one connection after the other; 0: all of them are due now.
    """
    start = time.perf_counter()
    step = 1 / rate if rate else 0.0
    many = len(requests)
    connections = []
    for number, own_requests in enumerate(requests):
        dues = [start + (turn * many + number) * step for turn in range(len(own_requests))]
        connections.append(Connection(port, own_requests, dues))

    played = Played()
    try:
        while any(not one.done for one in connections):
            _turn(connections, played)
        played.elapsed = time.perf_counter() - start
    finally:
        for one in connections:
            one.close()
    return played


def _turn(connections: Sequence[Connection], played: Played) -> None:
    """Send what is due, and take the answers that come before anything else is."""
    now = time.perf_counter()
    soonest = now + REQUEST_SECONDS
    for one in connections:
        if one.waits or one.done:
            continue
        if one.due <= now:
            one.send()
        else:
            soonest = min(soonest, one.due)

    waiting = [one for one in connections if one.waits]
    seconds = max(0.0, soonest - time.perf_counter())
    ready, _, _ = select.select(waiting, [], [], seconds)
    for one in ready:
        due = one.due
        if one.receive():
            played.seconds.append(time.perf_counter() - due)
