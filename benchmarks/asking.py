"""A client that asks over several connections at once, and costs little of a processor.

What it sends is made before, and of an answer it reads no more than where that ends. So a server is
measured, and not the client; whatever server is asked, the client does the same.
"""

import selectors
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle

from benchmarks.web import HOST, REQUEST_SECONDS

CONNECTIONS = 4

_RECEIVED_AT_ONCE = 1_048_576  # bytes
_HEAD_END = b"\r\n\r\n"
_LENGTH = b"\r\ncontent-length: "
_LAST_CHUNK = b"\r\n0\r\n\r\n"


def request_bytes(path: str, **headers: str) -> bytes:
    """Return a GET as it is sent; the underscores of headers stand for hyphens."""
    lines = [f"GET {path} HTTP/1.1", f"Host: {HOST}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


@dataclass
class _Connection:
    """One connection, and what has come of the answer that is being read."""

    port: int
    wire: socket.socket = field(init=False)
    _pieces: list[bytes] = field(default_factory=list)
    _received: int = 0
    # How many bytes the whole answer has; 0: not known, or it comes in chunks.
    _expected: int = 0

    def __post_init__(self) -> None:
        self.wire = socket.create_connection((HOST, self.port), REQUEST_SECONDS)
        self.wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, request: bytes) -> None:
        """Send a request."""
        self._pieces = []
        self._received = 0
        self._expected = 0
        self.wire.sendall(request)

    def receive(self) -> bool:
        """Receive more of an answer; return whether it is whole now."""
        piece = self.wire.recv(_RECEIVED_AT_ONCE)
        assert piece, "the server has ended a connection"
        self._pieces.append(piece)
        self._received += len(piece)

        if not self._expected:
            self._expected = _whole_length(self._pieces[0])
        if self._expected:
            return self._received >= self._expected
        return b"".join(self._pieces[-2:]).endswith(_LAST_CHUNK)

    @property
    def status(self) -> int:
        """The status of the answer."""
        return int(self._pieces[0][9:12])


def _whole_length(first_piece: bytes) -> int:
    """Return how many bytes an answer has, 0 if it comes in chunks.

    first_piece: what was received first, all headers among it.
    """
    head, found, _ = first_piece.partition(_HEAD_END)
    assert found, "the headers came in pieces"
    head_length = len(head) + len(_HEAD_END)
    if first_piece.startswith(b"HTTP/1.1 304"):
        return head_length

    _, found, length = head.lower().partition(_LENGTH)
    return head_length + int(length.split(b"\r\n")[0]) if found else 0


def answered_each_second(
    port: int, requests: Sequence[bytes], seconds: float, status: int = 200
) -> float:
    """Ask for some seconds, each connection as fast as it is answered; return answers a second.

    requests: sent in turn, again and again.   status: of every answer.
    """
    to_send = cycle(requests)
    connections = [_Connection(port) for _ in range(CONNECTIONS)]
    with selectors.DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection.wire, selectors.EVENT_READ, connection)
            connection.send(next(to_send))

        start = time.perf_counter()
        end = start + seconds
        answered = 0
        for connection in _answered(selector):
            assert connection.status == status, connection.status
            answered += 1
            now = time.perf_counter()
            if now > end:
                break
            connection.send(next(to_send))

    for connection in connections:
        connection.wire.close()
    return answered / (now - start)


def _answered(selector: selectors.BaseSelector) -> Iterator[_Connection]:
    """Yield each connection whenever it has a whole answer."""
    while True:
        for key, _ in selector.select(REQUEST_SECONDS):
            connection: _Connection = key.data
            if connection.receive():
                yield connection
