"""Stream limit: how many long answers a process sends at once, in all and to one caller.

Live streams, answers of many lines and long bodies each hold a permit until they were sent, all but
their ends: the server copies a whole body and goes on, so it would not be known how many lie there
unread. Of a body in pieces it takes one, and asks for the next when that is sent.
"""

import threading
from collections import Counter
from collections.abc import Iterator

from service import metrics
from service.errors import TooMany

# So much of an answer the system is given before it is read; it sets twice as much aside.
SENT_AHEAD_BYTES = 64 * 1024
PIECE_BYTES = 32 * 1024

# What is no longer than this leaves the process at once, whether it is read or not.
LONG_BYTES = 2 * SENT_AHEAD_BYTES

_RETRY_SECONDS = 5


class StreamPermit:
    """The room of one long answer."""

    def __init__(self, limit: "StreamLimit", names: frozenset[str]) -> None:
        self._limit = limit
        self.names = names
        self.held = True

    def give_back(self) -> None:
        """Let another long answer have the room; to do so twice does no harm."""
        self._limit.give_back(self)


class StreamLimit:
    """The permits for long answers of this process, and who holds them.

    Whatever the settings say, a quarter of all is out of reach for any single caller or address.
    """

    def __init__(self, most: int, each: int) -> None:
        out_of_reach = max(1, most // 4)
        self.most = most
        self.each = min(each, max(1, most - out_of_reach))
        self._lock = threading.Lock()
        self._taken = 0
        self._taken_for: Counter[str] = Counter()

    def take(self, *names: str) -> StreamPermit | None:
        """Return a permit for a caller and an address, None if there is none left.

        A name given twice counts once.
        """
        counted = frozenset(names)
        with self._lock:
            if not self._has_room_for(counted):
                return None
            self._taken += 1
            self._taken_for.update(counted)
        metrics.STREAMS.inc()
        return StreamPermit(self, counted)

    def must_take(self, *names: str) -> StreamPermit:
        """Return a permit; raises TooMany if there is none left."""
        permit = self.take(*names)
        if permit is None:
            raise TooMany(
                "streams",
                f"at most {self.each} long answers for one token or one address, "
                f"{self.most} in all",
                _RETRY_SECONDS,
            )
        return permit

    def give_back(self, permit: StreamPermit) -> None:
        """Count a permit as free again, if it is still held."""
        with self._lock:
            if not permit.held:
                return
            permit.held = False
            self._taken -= 1
            for name in permit.names:
                self._taken_for[name] -= 1
                if not self._taken_for[name]:
                    del self._taken_for[name]
        metrics.STREAMS.dec()

    def _has_room_for(self, names: frozenset[str]) -> bool:
        if self._taken >= self.most:
            return False
        return all(self._taken_for[name] < self.each for name in names)


def in_pieces(body: bytes) -> Iterator[bytes]:
    """Yield a body in pieces."""
    for begin in range(0, len(body), PIECE_BYTES):
        yield body[begin : begin + PIECE_BYTES]
