"""A proxy in front of a service that cuts connections, as networks do."""

import random
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

_CHUNK_BYTES = 65_536

# From the middle of a status line to many whole answers.
BUDGETS = (5, 20_000, 500_000, 500_000, 500_000)


class CuttingProxy:
    """Passes requests on, and cuts each connection after so many bytes of answers.

    Many a request has been carried out when its answer is cut off.
    """

    def __init__(self, url: str, seed: int, budgets: Sequence[int]) -> None:
        """Stand before a server. budgets: the numbers of bytes of answers, one for a connection."""
        parts = urlsplit(url)
        self._server = (parts.hostname, parts.port)
        self._chance = random.Random(seed)
        self._budgets = budgets
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.cuts = 0

    def serve(self) -> None:
        """Serve until the listener is closed."""
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                budget = self._chance.choice(self._budgets)
                threading.Thread(target=self._hand_on, args=(client, budget)).start()

    def _hand_on(self, client: socket.socket, budget: int) -> None:
        with client, suppress(OSError), socket.create_connection(self._server) as server:
            for side in (client, server):
                side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            requests = threading.Thread(target=_copy, args=(client, server))
            requests.start()
            remaining_bytes = budget
            while remaining_bytes > 0 and (chunk := server.recv(_CHUNK_BYTES)):
                client.sendall(chunk[:remaining_bytes])
                remaining_bytes -= len(chunk)
            self.cuts += remaining_bytes <= 0
            for side in (client, server):
                with suppress(OSError):
                    side.shutdown(socket.SHUT_RDWR)
            requests.join()

    def close(self) -> None:
        """Close the listener. Open connections end with their clients."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Copy until one side has ended, then end both."""
    with suppress(OSError):
        while chunk := source.recv(_CHUNK_BYTES):
            target.sendall(chunk)
    for side in (source, target):
        with suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)


@contextmanager
def cutting_proxy(
    url: str, seed: int = 1, budgets: Sequence[int] = BUDGETS
) -> Iterator[CuttingProxy]:
    """A running proxy, ended at the end."""
    proxy = CuttingProxy(url, seed, budgets)
    thread = threading.Thread(target=proxy.serve)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join()
