"""The same requests again and again, over several connections, each as fast as it is answered."""

import selectors
import time
from collections.abc import Iterator, Sequence
from itertools import cycle

from benchmarks.sockets import Connection
from benchmarks.web import REQUEST_SECONDS

CONNECTIONS = 4


def answered_each_second(
    port: int, requests: Sequence[bytes], seconds: float, status: int = 200
) -> float:
    """Ask for some seconds; return answers a second.

    requests: sent in turn, again and again.   status: of every answer.
    """
    to_send = cycle(requests)
    connections = [Connection(port) for _ in range(CONNECTIONS)]
    with selectors.DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection, selectors.EVENT_READ)
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
        connection.close()
    return answered / (now - start)


def _answered(selector: selectors.BaseSelector) -> Iterator[Connection]:
    """Yield each connection whenever it has a whole answer."""
    while True:
        for key, _ in selector.select(REQUEST_SECONDS):
            assert isinstance(key.fileobj, Connection)
            if key.fileobj.receive():
                yield key.fileobj
