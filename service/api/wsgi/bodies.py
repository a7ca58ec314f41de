"""Bodies of requests: read by a few threads, each within a deadline, so that no slow sender holds the house.

Granian reads a body in a call that nothing in Python can interrupt. So a thread of its own reads, and the thread of
the request waits for it as long as the deadline allows. What then ends the read is the answer: see `cut_short`.

To hand a body from thread to thread takes 3 to 6 % of the processor time of a move. Whoever has shown a token that
counts is therefore read directly, without a deadline, as long as few are: at most `DIRECT` threads can be held so.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Protocol

from service import metrics
from service.api.wsgi.gate import Permit
from service.errors import BodyTooSlow, Overloaded

LENGTH = "content-length"
DIRECT = 4  # bodies that the threads of their requests read at once
_SECONDS = 5.0  # for any body; a longer one has more
_BYTES_A_SECOND = 65536  # so slowly may a body come
_UNKNOWN_SECONDS = 10.0  # for one sent in chunks, whose length nobody knows
_AT_ONCE = 0.005  # so long a request keeps its permit to work, for most bodies are there already
_GRACE = 0.5  # so long a body may take at least, also when others want its place
_TURN = 1.0  # so long a request waits for a place
_PATIENCE = 0.05  # so often one that waits for a place looks whether somebody may be cut off
_BACK = 5.0  # so long a request whose body has come waits for its permit
_IDLE = 30.0  # after so long a thread without work ends
_FLUSH = 0.05  # so long the answer has to leave before the connection is ended


class Source(Protocol):
    """The server's stream of a body."""

    def read(self, size: int, /) -> bytes:
        """Return so many bytes, fewer at the end."""


class Reading:
    """One call for some bytes of a body: what a thread reads, or that it was too slow."""

    def __init__(self, source: Source, size: int) -> None:
        self.source = source
        self.size = size
        self.began = 0.0  # 0: still in line
        self.given_up = False
        self.outcome: SimpleQueue[bytes | None] = SimpleQueue()  # None: cut off


class Readers:
    """Threads that read bodies, at most `places`; as many requests may wait for one of them.

    When all places are taken, whoever has held one longest is cut off in favour of the next, if it has had its grace.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._lock = threading.Lock()
        self._tasks: SimpleQueue[Reading] = SimpleQueue()
        self._threads = 0
        self._open = 0  # in line or being read
        self._direct = threading.Semaphore(DIRECT)
        self._reading: dict[Reading, None] = {}  # the oldest first

    def read(self, source: Source, size: int, ends: float, permit: Permit | None) -> bytes:
        """Return bytes of a body; raises BodyTooSlow after `ends` (time.monotonic), Overloaded if there is no place.

        A permit to work is given back while the sender keeps us waiting.
        """
        reading = Reading(source, size)
        self._ask(reading)
        try:
            data = reading.outcome.get(timeout=_AT_ONCE)
        except Empty:
            if permit is not None:
                permit.give_back()
            with metrics.READING.track_inprogress():
                data = self._await(reading, ends)

        if data is None:
            raise BodyTooSlow("the body came too slowly; the connection is closed")
        if permit is not None and not permit.take_again(_BACK):
            raise Overloaded("too many requests at once")
        return data

    def read_directly(self, source: Source, size: int, permit: Permit | None) -> bytes | None:
        """Return bytes of a body, read without a deadline; None, and nothing is read, if too many are read so."""
        if not self._direct.acquire(blocking=False):
            return None
        if permit is not None:
            permit.pause()
        try:
            return source.read(size)
        finally:
            if permit is not None:
                permit.resume()
            self._direct.release()

    def _ask(self, reading: Reading) -> None:
        with self._lock:
            if self._open >= 2 * self.places:
                metrics.SHED.labels("body").inc()
                raise Overloaded("too many bodies are being sent at once")
            if self._open >= self.places:
                self._cut_oldest()
            self._open += 1
            starts = self._open > self._threads and self._threads < self.places
            self._threads += starts
        self._tasks.put(reading)
        if starts:
            threading.Thread(target=self._run, name="body", daemon=True).start()

    def _cut_oldest(self) -> None:
        oldest = next(iter(self._reading), None)
        if oldest is not None and time.monotonic() - oldest.began > _GRACE:
            del self._reading[oldest]
            oldest.outcome.put(None)

    def _await(self, reading: Reading, ends: float) -> bytes | None:
        """Return what was read, None if it took too long; raises Overloaded if no thread ever took it up."""
        turn = time.monotonic() + _TURN
        while True:
            left = ends - time.monotonic()
            with suppress(Empty):
                return reading.outcome.get(
                    timeout=max(0.0, left if reading.began else min(left, _PATIENCE))
                )

            now = time.monotonic()
            with self._lock:
                if reading.began and now >= ends:
                    self._reading.pop(reading, None)
                    return None
                if not reading.began:
                    if now >= turn:
                        reading.given_up = True
                        self._open -= 1
                        metrics.SHED.labels("body").inc()
                        raise Overloaded("too many bodies are being sent at once")
                    self._cut_oldest()

    def _run(self) -> None:
        while True:
            try:
                reading = self._tasks.get(timeout=_IDLE)
            except Empty:
                with self._lock:
                    if self._open < self._threads:
                        self._threads -= 1
                        return
                continue
            self._take_up(reading)

    def _take_up(self, reading: Reading) -> None:
        with self._lock:
            if reading.given_up:
                return
            reading.began = time.monotonic()
            self._reading[reading] = None
        data = b""
        try:
            data = reading.source.read(reading.size)
        finally:
            with self._lock:
                self._reading.pop(reading, None)
                self._open -= 1
            reading.outcome.put(data)


class Body:
    """The body of one request, in place of the server's `wsgi.input`; nothing is read until somebody asks.

    trusted: it may be read without a deadline, if there is room for that.
    """

    def __init__(
        self,
        source: Source,
        length: int | None,
        readers: Readers,
        permit: Permit,
        *,
        trusted: bool = False,
    ) -> None:
        self.too_slow = False
        self._trusted = trusted
        self._source = source
        self._left = length  # bytes to come; None: nobody knows
        self._readers = readers
        self._permit = permit
        self._ends = 0.0

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer at the end; raises BodyTooSlow, Overloaded."""
        if self._left is not None:
            size = min(size, self._left)
        if size == 0:
            return b""
        data = (
            self._readers.read_directly(self._source, size, self._permit) if self._trusted else None
        )
        if data is None:
            data = self._read_in_time(size)
        if self._left is not None:
            self._left = self._left - len(data) if data else 0
        return data

    def _read_in_time(self, size: int) -> bytes:
        if not self._ends:
            self._ends = time.monotonic() + _allowed(self._left)
        try:
            return self._readers.read(self._source, size, self._ends, self._permit)
        except BodyTooSlow:
            self.too_slow = True
            raise


def _allowed(length: int | None) -> float:
    """Return how many seconds a body of a length may take."""
    return _UNKNOWN_SECONDS if length is None else _SECONDS + length / _BYTES_A_SECOND


def lengthened(headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the headers of an answer that is to be cut short: they promise one byte more than will come."""
    told = [(name, value) for name, value in headers if name.lower() not in (LENGTH, "connection")]
    length = next((int(value) for name, value in headers if name.lower() == LENGTH), 0)
    return [*told, (LENGTH, str(length + 1)), ("connection", "close")]


def cut_short(data: bytes, pause: Callable[[float], None] = time.sleep) -> Iterator[bytes]:
    """Yield an answer that ends before its promised length.

    A server must then close the connection (RFC 9112, 6.3), for the client could not tell where the next answer
    begins. With the connection the read of the body ends, which is the only way to end it. The pause lets the answer
    reach the client first, for whom 408 is better news than a connection that breaks.
    """
    yield data
    pause(_FLUSH)
