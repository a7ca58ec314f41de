"""HTTP on raw sockets, so that a client costs little of a processor.

What it sends is made before, and of an answer it reads no more than where that ends. So a server is
measured, and not the client; whatever server is asked, the client does the same.
"""

import socket
from collections.abc import Mapping

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


class Connection:
    """One connection, and what has come of the answer that is being read."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection((HOST, port), REQUEST_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = bytearray()
        # How many bytes the whole answer has: None before its head is there, 0 if it has chunks.
        self._length: int | None = None

    def fileno(self) -> int:
        """Return what `select` asks for."""
        return self._socket.fileno()

    def send(self, request: bytes) -> None:
        """Send a request."""
        self._received.clear()
        self._length = None
        self._socket.sendall(request)

    def receive(self) -> bool:
        """Receive more of an answer; return whether it is whole now."""
        piece = self._socket.recv(_RECEIVED_AT_ONCE)
        assert piece, "the server has closed the connection"
        self._received += piece

        if self._length is None:
            self._length = self._whole_length()
        if self._length is None:
            return False
        if self._length:
            return len(self._received) >= self._length
        return self._received.endswith(_LAST_CHUNK)

    @property
    def status(self) -> int:
        """The status of the answer."""
        return int(self._received[_STATUS])

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _whole_length(self) -> int | None:
        """Return how many bytes the answer has, 0 if it has chunks; None: not told yet."""
        head, found, _ = self._received.partition(_HEAD_END)
        if not found:
            return None

        head_length = len(head) + len(_HEAD_END)
        if self.status == _UNCHANGED:
            return head_length
        _, found, length = head.lower().partition(_LENGTH)
        return head_length + int(length.split(b"\r\n")[0]) if found else 0
