"""Admission: so many requests at work in front of the application, so many waiting, and no more.

What comes beyond is refused at once, which costs little, instead of being kept waiting in a line
that only grows. One caller and one address have a quarter of the permits at most
(`service.api.wsgi.gate`), and half of the room for bodies. The probes have permits of their own.
/livez needs none: it does no more work than refusing it would, and a flood of it must not make the
service look dead.

While the bundled server loads the journal for the first time, nothing else is answered at all: what
lies there is checked before anybody may touch it.

Bodies are read here, too, by few threads and within deadlines.
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
_TURN_SECONDS = 1.0  # so long a request waits for its turn
_SPARE = 32  # threads that refuse others for want of room

_LOADING = "The journal is being loaded; nothing was done."
# What a probe is answered meanwhile, in its own form.
_UNREADY = Refusal.with_body(
    503,
    "application/json",
    orjson.dumps({"status": "unready", "checks": {"journal": "the journal is being loaded"}}),
    after=1,
)


def threads(config: Config) -> int:
    """Return how many threads the server needs, so that nothing ever waits inside of it.

    One for each request at work and each that waits for it; for as many bodies in line as are being
    read; for the probes; for the long answers.
    """
    bodies = 2 * BODIES + DIRECT
    probes = len(PROBES) * (PROBES_AT_ONCE + PROBES_WAITING)
    return config.web_threads + WAITING + bodies + probes + config.streams + _SPARE


class Admission:
    """A WSGI application around another, which lets in as much as can be answered soon."""

    def __init__(
        self,
        inner: App,
        config: Config,
        holders: Container[str] = (),
        unchecked: Path | None = None,
    ) -> None:
        """Put a gate before `inner`.

        holders: the fields of tokens that count, as far as this process knows them.
        unchecked: a file that is there until the journal was loaded and checked.
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
        """Answer a request whose body the application reads through a `Body`.

        If it came too slowly, the answer says so and ends the connection.
        """
        # Other callers than the address itself show a token that this process has seen to count.
        trusted = sender.caller != sender.address
        body = Body(environ, self._readers, permit, sender.address, trusted=trusted)
        environ["wsgi.input"] = body

        def start(status: str, headers: Headers, *error: object) -> object:
            sent = truncated_headers(headers) if body.too_slow else headers
            return start_response(status, sent, *error)

        pieces = self._inner(environ, start)
        return truncated(joined(pieces)) if body.too_slow else pieces

    def _is_unchecked(self) -> bool:
        """Return whether the journal may not be touched yet; once it may, nobody looks again."""
        if self._unchecked is not None and not self._unchecked.exists():
            self._unchecked = None
        return self._unchecked is not None


def _has_body(environ: Environ) -> bool:
    return environ.get("CONTENT_LENGTH", "0") != "0" or "HTTP_TRANSFER_ENCODING" in environ


def _probe_gates(prefix: str) -> dict[str, Gate]:
    """Return the gate of each probe by its path, which is answered with the prefix and without."""
    gates: dict[str, Gate] = {}
    for path in PROBES:
        gate = Gate(PROBES_AT_ONCE, waiting=PROBES_WAITING, seconds=_TURN_SECONDS)
        gates[path] = gate
        gates[prefix + path] = gate
    return gates


# ---- bodies, which are read so that no slow sender holds up the service --------------------------

# A body is read when the application asks for it, by one of a few threads and within a deadline. To
# hand it from thread to thread takes 3 to 6 % of the processor time of a move. A sender who shows a
# token that counts is therefore read directly, without a deadline, while few are.
#
# The server reads a body in a call that nothing in Python can interrupt. So a thread from a pool
# reads, and the thread of the request waits for it until the deadline. A read that is no longer
# waited for ends with the connection, which a truncated answer makes the server close.

DIRECT = 4  # bodies that the threads of their requests read at once
_AT_ONCE = 0.005  # so long a request keeps its permit to work, for most bodies are there already
_GRACE = 0.5  # so long a body may take at least, also when others want its place
_PLACE_SECONDS = 1.0  # so long a body waits for a thread that reads it
_LOOK = 0.05  # so often one that waits for a place looks whether another may be cut off
_BACK = 5.0  # so long a request whose body has come waits for its permit
_IDLE = 30.0  # after so long a thread without work ends

_BODY_SECONDS = 5.0  # for any body; a longer one has more
_BYTES_A_SECOND = 65536  # so slowly may a body come
_UNKNOWN_SECONDS = 10.0  # for one sent in chunks, whose length is not known


class BodyStream(Protocol):
    """The server's stream of a body."""

    def read(self, size: int, /) -> bytes:
        """Return so many bytes, fewer at the end."""


class Reading:
    """One call for some bytes of a body, and where it stands.

    It is in one of these states:

        in line  --a thread takes it up-->  being read  --the call returns-->  read
        in line  --no thread was free for a while-->  given up (Overloaded)
        being read  --its deadline has passed, or another needs its place-->  cut off (BodyTooSlow)

    A thread that reads what was cut off is not free before the call returns, so it keeps its place.
    """

    def __init__(self, source: BodyStream, size: int, address: str) -> None:
        self.source = source
        self.size = size
        self.address = address
        # When a thread took it up (time.monotonic); 0: it is still in line.
        self.began = 0.0
        self.given_up = False
        # What was read; None: it was cut off.
        self.outcome: SimpleQueue[bytes | None] = SimpleQueue()


class ReaderThreads:
    """At most `places` threads that read; as many requests may wait for one of them.

    One address has half of this room: as many readings as there are places. When all places are
    taken, the reading that has held one longest is cut off in favour of the next, if it has had its
    grace.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._tasks: SimpleQueue[Reading] = SimpleQueue()
        self._direct = threading.Semaphore(DIRECT)
        # The lock guards all that follows, and where each reading stands.
        self._lock = threading.Lock()
        self._threads = 0
        # Readings in line or in the hands of a thread; of these each address has so many.
        self._open = 0
        self._open_of: Counter[str] = Counter()
        # Those in the hands of a thread that are waited for, the oldest first.
        self._reading: dict[Reading, None] = {}

    def read(
        self, source: BodyStream, size: int, ends: float, permit: Permit | None, address: str = ""
    ) -> bytes:
        """Return bytes of a body, read by one of the threads.

        ends: until when (time.monotonic).   address: of the sender. The permit to work is given
        back while the sender keeps us waiting. Raises BodyTooSlow after `ends`, Overloaded if there
        is no place or no permit.
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
            raise BodyTooSlow("the body came too slowly; the connection is closed")
        if permit is not None and not permit.take_again(_BACK):
            raise Overloaded("too many requests at once")
        return body_bytes

    def read_directly(self, source: BodyStream, size: int, permit: Permit | None) -> bytes | None:
        """Return bytes of a body, read by this thread without a deadline.

        None, and nothing is read, if too many bodies are read so.
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
        """Have a thread take a reading up; raises Overloaded if too many are in line."""
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
        """Start a thread that reads; without any raises Overloaded."""
        try:
            threading.Thread(target=self._run, name="body", daemon=True).start()
        except RuntimeError:  # the system gives no more threads
            with self._lock:
                self._threads -= 1
                if not self._threads and not reading.began:
                    self._give_up(reading)

    def _note_open(self, reading: Reading) -> None:
        """Count a reading. The lock is held."""
        self._open += 1
        self._open_of[reading.address] += 1

    def _note_closed(self, reading: Reading) -> None:
        """Count a reading no more. The lock is held."""
        self._open -= 1
        self._open_of[reading.address] -= 1
        if not self._open_of[reading.address]:
            del self._open_of[reading.address]

    def _await(self, reading: Reading, ends: float) -> bytes | None:
        """Return what was read, None if it was cut off; raises Overloaded if it was given up."""
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
        """Take a reading out of the line; raises Overloaded. The lock is held."""
        reading.given_up = True
        self._note_closed(reading)
        raise _overloaded()

    def _cut_off_oldest(self, address: str | None = None) -> None:
        """Cut off the reading that has held a place longest, after its grace. The lock is held.

        address: only one of this address.
        """
        of_address = (one for one in self._reading if address in (None, one.address))
        oldest = next(of_address, None)
        if oldest is not None and time.monotonic() - oldest.began > _GRACE:
            del self._reading[oldest]
            oldest.outcome.put(None)

    # ---- in the threads that read ------------------------------------------------------------

    def _run(self) -> None:
        """Read what is in line, until there was nothing to do for a while."""
        while True:
            try:
                reading = self._tasks.get(timeout=_IDLE)
            except Empty:
                if self._may_end():
                    return
            else:
                self._take_up(reading)

    def _may_end(self) -> bool:
        """Return whether this thread may end: others are enough for all that is open."""
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
    """Return the error that says that there is no place for a body, and count it."""
    metrics.SHED.labels("body").inc()
    return Overloaded("too many bodies are being sent at once")


# ---- the body that the application reads ---------------------------------------------------


class Body:
    """The body of one request, in place of the server's `wsgi.input`.

    Nothing is read until it is asked for.
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

        address: of its sender.
        trusted: it may be read without a deadline, if there is room for that.
        """
        self.too_slow = False
        self._source: BodyStream = environ["wsgi.input"]
        self._bytes_to_come = _length(environ)
        self._readers = readers
        self._permit = permit
        self._address = address
        self._trusted = trusted
        # Until when all of it must have come (time.monotonic); 0: nothing was asked for yet.
        self._ends = 0.0

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer at the end; raises BodyTooSlow, Overloaded."""
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
            # A sender that has ended the connection sends nothing more, whatever was promised.
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
    """Return how many bytes a request's body has, None if it does not say so."""
    length = environ.get("CONTENT_LENGTH", "")
    return int(length) if length.isdecimal() else None


def _seconds_for(length: int | None) -> float:
    """Return how many seconds a body of a length may take."""
    if length is None:
        return _UNKNOWN_SECONDS
    return _BODY_SECONDS + length / _BYTES_A_SECOND


# ---- truncation ----------------------------------------------------------------------------
# An answer that ends before its promised length makes the server close the connection (RFC 9112,
# 6.3): the client could not tell where the next answer begins. Nothing else ends a read that hangs.

_LENGTH = "content-length"
_FLUSH_SECONDS = 0.05  # so long the answer has to leave before the connection is ended


def truncated_headers(headers: Headers) -> Headers:
    """Return the headers of an answer that is truncated: they promise one byte too many."""
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
    """Yield all of an answer that promises more.

    The pause lets the answer reach the client before the connection ends: 408 is better news than a
    connection that breaks.
    """
    yield body
    pause(_FLUSH_SECONDS)
