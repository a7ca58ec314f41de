"""Admission: the layer in front of the application, with bounds on work, waiting and bodies.

Excess requests are refused at once. A refusal costs little, and a line without a bound only grows.

    /livez                    answered without a permit: a refusal would cost the same, and a flood
                              of such requests must not make the service look dead
    journal not checked yet   refused (503), while the bundled server first loads the journal
    gate                      a permit at once, or in line for up to 5 seconds, or refused (503)
    body                      read by a bounded number of threads within a deadline, else refused
                              (503 or 408)
    answer                    by the inner application, then the permit is given back

One caller or one address has at most a quarter of the permits (`service.api.wsgi.gate`). One
address has at most half of the room for bodies. Each other probe has a gate of its own.

The threads of requests and up to BODIES reader threads run at the same time. Each gate has a lock,
and `ReaderThreads` has one. A `Reading` passes from the thread of its request to a reader thread
and back through `outcome`.

Example of a slow body: a sender promises ten bytes, sends one and stops. `Body.read` puts a reading
in line, and a reader thread takes it up and hangs in the server's `read`. After 5 ms the thread of
the request gives its permit back and waits in `_await`. At the deadline `_await` cuts the reading
off, `Body` notes `too_slow`, and the application answers 408. `truncated_headers` promises one byte
too many, so the server closes the connection. The hanging `read` then returns, and the reader
thread is free again.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Protocol

import orjson

from service.api import problems
from service.api.http.context import client_address, sender_of, shown_token
from service.api.http.limits import Proxies, Sender
from service.api.wsgi import App, Environ, Headers, Refusal, StartResponse, joined
from service.api.wsgi.gate import NO_ROOM, Gate, Permit, keep_permit
from service.base import metrics
from service.base.config import Config
from service.base.errors import BodyTooSlow, Overloaded

ALIVE = "/livez"
READY = "/readyz"
PROBES = (READY, "/metrics")

WAITING = 128
PROBES_AT_ONCE = 2
PROBES_WAITING = 16
BODIES = 64
# Longest wait of a request in line, long enough that a machine that stands still for a moment
# refuses nothing. WAITING bounds the length of the line.
_TURN_SECONDS = 5.0
_SPARE = 32  # threads for refusals

_LOADING = "The journal is loading. Nothing was done."
# Answer to /readyz until the journal is loaded.
_UNREADY = Refusal.with_body(
    503,
    "application/json",
    orjson.dumps({"status": "unready", "checks": {"journal": "the journal is loading"}}),
    after=1,
)


def threads(config: Config) -> int:
    """Return the number of threads for the server, so that no request waits inside the server.

    There is a thread for each request at work or in line, for each body that is read or in line,
    for each probe and each long answer. Some more are for refusals.
    """
    bodies = 2 * BODIES + DIRECT
    probes = len(PROBES) * (PROBES_AT_ONCE + PROBES_WAITING)
    return config.web_threads + WAITING + bodies + probes + config.streams + _SPARE


class Admission:
    """A WSGI application around another. It refuses requests that cannot be answered soon."""

    def __init__(
        self,
        inner: App,
        config: Config,
        holders: Container[str] = (),
        unchecked: Path | None = None,
    ) -> None:
        """Put a gate before `inner`.

        holders: the fields of valid tokens, as far as known to this process.
        unchecked: a file that exists until the journal is loaded and checked.
        """
        self._inner = inner
        self._holders = holders
        self._proxies = Proxies(config.trusted_proxies)
        self._work = Gate(
            config.web_threads,
            waiting=WAITING,
            seconds=_TURN_SECONDS,
            at_work=metrics.AT_WORK,
            in_line=metrics.WAITING,
        )
        self._alive = (ALIVE, config.path_prefix + ALIVE)
        self._probes = _probe_gates(config.path_prefix)
        self._readers = ReaderThreads(BODIES)
        self._unchecked = unchecked
        self._ready = (READY, config.path_prefix + READY)
        prefix = config.path_prefix
        self._no_room = Refusal.of(prefix, problems.OVERLOADED, NO_ROOM, after=1)
        self._loading = Refusal.of(prefix, problems.UNAVAILABLE, _LOADING, after=1)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request, or refuse it because there is no room."""
        path = environ["PATH_INFO"]
        if path in self._alive:
            return self._inner(environ, start_response)
        if self._is_unchecked():
            refusal = _UNREADY if path in self._ready else self._loading
            return refusal.send_bare(environ, start_response)

        token = shown_token(environ.get("HTTP_AUTHORIZATION", ""))
        sender = sender_of(token, client_address(environ, self._proxies), self._holders)
        permit = Permit(self._probes.get(path, self._work), sender)
        if not permit.take():
            metrics.SHED.labels("work").inc()
            return self._no_room.send_bare(environ, start_response)
        keep_permit(environ, permit)
        try:
            if _has_body(environ):
                return self._answer_with_body(environ, start_response, permit, sender)
            return self._inner(environ, start_response)
        finally:
            permit.give_back()

    def _answer_with_body(
        self, environ: Environ, start_response: StartResponse, permit: Permit, sender: Sender
    ) -> Iterable[bytes]:
        """Answer a request with a body, read by the application through a `Body`.

        The answer to a body that came too slowly ends the connection.
        """
        # A caller that is not the address has a token that this process knows to be valid.
        trusted = sender.caller != sender.address
        body = Body(environ, self._readers, permit, sender.address, trusted=trusted)
        environ["wsgi.input"] = body

        def start(status: str, headers: Headers, *error: object) -> object:
            own_headers = truncated_headers(headers) if body.too_slow else headers
            return start_response(status, own_headers, *error)

        pieces = self._inner(environ, start)
        return truncated(joined(pieces)) if body.too_slow else pieces

    def _is_unchecked(self) -> bool:
        """Return True until the journal is checked. After that no call looks at the file again."""
        if self._unchecked is not None and not self._unchecked.exists():
            self._unchecked = None
        return self._unchecked is not None


def _has_body(environ: Environ) -> bool:
    return environ.get("CONTENT_LENGTH", "0") != "0" or "HTTP_TRANSFER_ENCODING" in environ


def _probe_gates(prefix: str) -> dict[str, Gate]:
    """Return the gate of each probe by path, with the prefix and without."""
    gates: dict[str, Gate] = {}
    for path in PROBES:
        gate = Gate(PROBES_AT_ONCE, waiting=PROBES_WAITING, seconds=_TURN_SECONDS)
        gates[path] = gate
        gates[prefix + path] = gate
    return gates


# ---- bodies, which are read so that no slow sender holds up the service --------------------------

# A body is read when the application asks for it, by a reader thread and within a deadline. Handing
# a body from thread to thread takes 3 to 6 % of the processor time of a move. So the thread of the
# request itself reads the body of a sender with a valid token, without a deadline, for up to DIRECT
# bodies at once.
#
# The server reads a body in a call that nothing in Python can interrupt. So a thread from a pool
# reads, and the thread of the request waits for the bytes until the deadline. An abandoned read
# ends with the connection: a truncated answer makes the server close the connection.

DIRECT = 4  # bodies read at once by the threads of their requests
_AT_ONCE = 0.005  # seconds of a wait with the permit: most bodies have arrived already
_GRACE = 0.5  # a reading may take at least this time, even if another reading needs its place
_PLACE_SECONDS = 1.0  # longest wait of a body for a reader thread
_LOOK = 0.05  # seconds between the tries of a waiting body to cut another off
_BACK = 5.0  # longest wait for the permit after the body has come
_IDLE = 30.0  # seconds until a thread without work ends

_BODY_SECONDS = 5.0  # seconds for any body, beside the seconds for its length (_BYTES_A_SECOND)
_BYTES_A_SECOND = 65536  # slowest rate of a body
_UNKNOWN_SECONDS = 10.0  # seconds for a body in chunks, of unknown length


class BodyStream(Protocol):
    """The server's stream of a body."""

    def read(self, size: int, /) -> bytes:
        """Return `size` bytes, fewer at the end."""


class Reading:
    """One call for some bytes of a body, and its state.

        in line  --a thread takes it up-->  being read  --the call returns-->  read
        in line  --no thread was free for a while-->  given up (Overloaded)
        being read  --its deadline has passed, or another needs its place-->  cut off (BodyTooSlow)

    The thread of a cut-off reading is busy until the call returns, so the reading keeps its place.
    """

    def __init__(self, source: BodyStream, size: int, address: str) -> None:
        self.source = source
        self.size = size
        self.address = address
        # Time when a thread took the reading up (time.monotonic). 0: still in line.
        self.began = 0.0
        self.given_up = False
        # The bytes read. None: the reading was cut off.
        self.outcome: SimpleQueue[bytes | None] = SimpleQueue()


class ReaderThreads:
    """At most `places` reader threads, and as many requests in line for them.

    One address has half of this room: as many readings as there are places. If all places are
    taken, a new reading cuts off the oldest one, unless that is younger than _GRACE.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._tasks: SimpleQueue[Reading] = SimpleQueue()
        self._direct = threading.Semaphore(DIRECT)
        # The lock guards all that follows, and the state of each reading.
        self._lock = threading.Lock()
        self._threads = 0
        # Readings in line or taken up by a thread, in all and by address.
        self._open = 0
        self._open_of: Counter[str] = Counter()
        # Readings that a thread has taken up and a request waits for, the oldest first.
        self._reading: dict[Reading, None] = {}

    def read(
        self, source: BodyStream, size: int, ends: float, permit: Permit | None, address: str = ""
    ) -> bytes:
        """Return bytes of a body, read by one of the threads.

        ends: the deadline (time.monotonic).   address: address of the sender.
        The permit to work is given back while the sender is slow. Raises BodyTooSlow if the reading
        is cut off. Raises Overloaded if there is no place, or afterwards no permit.
        """
        reading = Reading(source, size, address)
        self._put_in_line(reading)
        try:
            body_bytes = reading.outcome.get(timeout=_AT_ONCE)
        except Empty:
            if permit is not None:
                permit.give_back()
            with metrics.READING.track_inprogress():
                body_bytes = self._await(reading, ends)

        if body_bytes is None:
            raise BodyTooSlow("the body came too slowly, and the connection is closed")
        if permit is not None and not permit.take_again(_BACK):
            raise Overloaded("too many requests at once")
        return body_bytes

    def read_directly(self, source: BodyStream, size: int, permit: Permit | None) -> bytes | None:
        """Return bytes of a body, read by this thread without a deadline.

        Return None, without reading, if DIRECT bodies are read in this way already.
        """
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

    # ---- in the thread of the request --------------------------------------------------------

    def _put_in_line(self, reading: Reading) -> None:
        """Queue a reading for a thread. Raises Overloaded if too many are in line."""
        with self._lock:
            if self._open_of[reading.address] >= self.places:
                self._cut_off_oldest(reading.address)
                raise _overloaded()
            if self._open >= 2 * self.places:
                raise _overloaded()
            if self._open >= self.places:
                self._cut_off_oldest()
            self._note_open(reading)
            needs_thread = self._open > self._threads and self._threads < self.places
            if needs_thread:
                self._threads += 1

        self._tasks.put(reading)
        if needs_thread:
            self._start_thread(reading)

    def _start_thread(self, reading: Reading) -> None:
        """Start a reader thread. Raises Overloaded if it cannot start and no other exists."""
        try:
            threading.Thread(target=self._run, name="body", daemon=True).start()
        except RuntimeError:  # the system gives no more threads
            with self._lock:
                self._threads -= 1
                if not self._threads and not reading.began:
                    self._give_up(reading)

    def _note_open(self, reading: Reading) -> None:
        """Count a reading as open. The lock is held."""
        self._open += 1
        self._open_of[reading.address] += 1

    def _note_closed(self, reading: Reading) -> None:
        """Count a reading as closed. The lock is held."""
        self._open -= 1
        self._open_of[reading.address] -= 1
        if not self._open_of[reading.address]:
            del self._open_of[reading.address]

    def _await(self, reading: Reading, ends: float) -> bytes | None:
        """Return the bytes read, None if cut off. Raises Overloaded if given up."""
        turn_ends = time.monotonic() + _PLACE_SECONDS
        while True:
            seconds = max(0.0, ends - time.monotonic())
            if not reading.began:
                seconds = min(seconds, _LOOK)
            try:
                return reading.outcome.get(timeout=seconds)
            except Empty:
                pass

            now = time.monotonic()
            with self._lock:
                if reading.began:
                    if now >= ends:
                        self._reading.pop(reading, None)
                        return None
                elif now >= turn_ends:
                    self._give_up(reading)
                else:
                    self._cut_off_oldest()

    def _give_up(self, reading: Reading) -> None:
        """Give up a reading in line. Always raises Overloaded. The lock is held."""
        reading.given_up = True
        self._note_closed(reading)
        raise _overloaded()

    def _cut_off_oldest(self, address: str | None = None) -> None:
        """Cut off the oldest reading if its grace is over. The lock is held.

        address: only a reading of this address.
        """
        of_address = (one for one in self._reading if address in (None, one.address))
        oldest = next(of_address, None)
        if oldest is not None and time.monotonic() - oldest.began > _GRACE:
            del self._reading[oldest]
            oldest.outcome.put(None)

    # ---- in the threads that read ------------------------------------------------------------

    def _run(self) -> None:
        """Read bodies in line, until there is nothing to do for _IDLE seconds."""
        while True:
            try:
                reading = self._tasks.get(timeout=_IDLE)
            except Empty:
                if self._may_end():
                    return
            else:
                self._take_up(reading)

    def _may_end(self) -> bool:
        """Uncount this thread and return True, if the others are enough for all open readings."""
        with self._lock:
            if self._open >= self._threads:
                return False
            self._threads -= 1
            return True

    def _take_up(self, reading: Reading) -> None:
        with self._lock:
            if reading.given_up:
                return
            reading.began = time.monotonic()
            self._reading[reading] = None

        body_bytes = b""
        try:
            body_bytes = reading.source.read(reading.size)
        finally:
            with self._lock:
                self._reading.pop(reading, None)
                self._note_closed(reading)
            reading.outcome.put(body_bytes)


def _overloaded() -> Overloaded:
    """Return the error for a body without a place, and count it."""
    metrics.SHED.labels("body").inc()
    return Overloaded("too many bodies are being sent at once")


# ---- the body that the application reads ---------------------------------------------------


class Body:
    """The body of one request, in place of the server's `wsgi.input`.

    Nothing is read before the first call of `read`.
    """

    def __init__(
        self,
        environ: Environ,
        readers: ReaderThreads,
        permit: Permit,
        address: str = "",
        *,
        trusted: bool = False,
    ) -> None:
        """Make the body of a request.

        address: address of the sender.
        trusted: True if the body may be read without a deadline, if there is room.
        """
        self.too_slow = False
        self._source: BodyStream = environ["wsgi.input"]
        self._bytes_to_come = _length(environ)
        self._readers = readers
        self._permit = permit
        self._address = address
        self._trusted = trusted
        # Deadline for the whole body (time.monotonic). 0: no reader thread was asked yet.
        self._ends = 0.0

    def read(self, size: int) -> bytes:
        """Return `size` bytes, fewer at the end. Raises BodyTooSlow and Overloaded."""
        if self._bytes_to_come is not None:
            size = min(size, self._bytes_to_come)
        if size == 0:
            return b""

        piece = None
        if self._trusted:
            piece = self._readers.read_directly(self._source, size, self._permit)
        if piece is None:
            piece = self._read_in_time(size)

        if self._bytes_to_come is not None:
            # Without a piece the sender has ended the connection, and sends no more despite its
            # promise.
            self._bytes_to_come = self._bytes_to_come - len(piece) if piece else 0
        return piece

    def _read_in_time(self, size: int) -> bytes:
        if not self._ends:
            self._ends = time.monotonic() + _seconds_for(self._bytes_to_come)
        try:
            return self._readers.read(self._source, size, self._ends, self._permit, self._address)
        except BodyTooSlow:
            self.too_slow = True
            raise


def _length(environ: Environ) -> int | None:
    """Return the length of a request's body in bytes, None if unknown."""
    length = environ.get("CONTENT_LENGTH", "")
    return int(length) if length.isdecimal() else None


def _seconds_for(length: int | None) -> float:
    """Return the time limit for a body of a length, in seconds."""
    if length is None:
        return _UNKNOWN_SECONDS
    return _BODY_SECONDS + length / _BYTES_A_SECOND


# ---- truncation ----------------------------------------------------------------------------
# An answer that ends before its promised length makes the server close the connection (RFC 9112,
# 6.3), because the client could not tell the beginning of the next answer. Nothing else ends a
# hanging read.

_LENGTH = "content-length"
_FLUSH_SECONDS = 0.05  # time for the answer to leave before the connection ends


def truncated_headers(headers: Headers) -> Headers:
    """Return the headers of a truncated answer: the length in them is one byte too many."""
    length = 0
    others = []
    for name, value in headers:
        match name.lower():
            case "content-length":
                length = int(value)
            case "connection":
                pass
            case _:
                others.append((name, value))
    return [*others, (_LENGTH, str(length + 1)), ("connection", "close")]


def truncated(body: bytes, pause: Callable[[float], None] = time.sleep) -> Iterator[bytes]:
    """Yield the body of a truncated answer, then wait a moment.

    The pause lets the answer reach the client before the connection ends. A client learns more from
    408 than from a broken connection.
    """
    yield body
    pause(_FLUSH_SECONDS)
