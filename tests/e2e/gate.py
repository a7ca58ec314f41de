"""A gate between a command and its server: it lets so many bytes pass, then strikes and is shut."""

import socket
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Self
from urllib.parse import unquote, urlsplit

from tests.running import PATIENCE

NO_LIMIT = sys.maxsize


def do_nothing() -> None:
    """Strike nobody."""


class Gate:
    """A TCP server that passes on what a client of Redis and its server say to each other.

    limit: how many bytes may pass towards the server.   strike: called when they have.
    passed: how many bytes have passed towards the server.   url: where the gate listens.
    """

    def __init__(
        self,
        server_url: str,
        limit: int = NO_LIMIT,
        strike: Callable[[], object] = do_nothing,
    ) -> None:
        self.strike = strike
        self.passed = 0
        self._server_url = server_url
        self._limit = limit

        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        self.url = f"redis://127.0.0.1:{port}/0"

        self._threads: list[threading.Thread] = []
        self._spawn(self._accept)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        shut(self._listener)
        for thread in self._threads:
            thread.join(PATIENCE)

    def _spawn(self, work: Callable[..., None], *sockets: socket.socket) -> None:
        thread = threading.Thread(target=work, args=sockets)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        """Connect each client to the server, until the gate is shut."""
        with suppress(OSError):
            while True:
                near, _address = self._listener.accept()
                with ExitStack() as if_it_fails:
                    if_it_fails.callback(shut, near)
                    far = connect(self._server_url)
                    if_it_fails.pop_all()

                self._spawn(self._pass_up, near, far)
                self._spawn(self._pass_down, near, far)

    def _pass_up(self, near: socket.socket, far: socket.socket) -> None:
        """Pass on what the client says, up to the limit; then strike and shut the gate."""
        with suppress(OSError):
            while self.passed < self._limit:
                received = near.recv(4096)
                if not received:
                    break
                allowed = received[: self._limit - self.passed]
                far.sendall(allowed)
                self.passed += len(allowed)

        if self.passed == self._limit:
            self.strike()
            shut(self._listener)
        shut(near, far)

    def _pass_down(self, near: socket.socket, far: socket.socket) -> None:
        """Pass on what the server says."""
        with suppress(OSError):
            while True:
                received = far.recv(65536)
                if not received:
                    break
                near.sendall(received)

        shut(near, far)


def shut(*sockets: socket.socket) -> None:
    """Close sockets, waking whoever waits at them."""
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


def connect(url: str) -> socket.socket:
    """Return a connection to the server of a URL."""
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return socket.create_connection((parts.hostname, parts.port))

    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(unquote(parts.path))
        return connection.dup()
