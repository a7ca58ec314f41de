"""Long bodies: each holds a slot until it was read, all but its end.

The server copies a whole body and goes on, so nobody would know how many lie there unread. Of a
body in pieces it takes one, and asks for the next when that is sent.
"""

from collections.abc import Iterable, Iterator
from typing import TypeGuard

from werkzeug.wsgi import ClosingIterator

from service import metrics
from service.api import problems
from service.api.http.concurrency import Slots
from service.api.http.rate_limits import Parts, sender_of
from service.api.wsgi.compression import Begun
from service.api.wsgi.gate import NO_ROOM
from service.api.wsgi.middleware import App, Environ, StartResponse, problem_body, refuse

# So much of an answer the system is given before it is read; it sets twice as much aside.
SENT_AHEAD_BYTES = 64 * 1024
PIECE_BYTES = 32 * 1024

# What is no longer than this leaves the process at once, whether it is read or not.
_LONG_BYTES = 2 * SENT_AHEAD_BYTES


def in_pieces(body: bytes) -> Iterator[bytes]:
    """Yield a body in pieces."""
    for begin in range(0, len(body), PIECE_BYTES):
        yield body[begin : begin + PIECE_BYTES]


class LongBodies:
    """A WSGI application around another, which sends long bodies in pieces, each with a slot.

    Where there is none, a question for a long answer is refused; what was changed is told anyhow.
    """

    def __init__(self, inner: App, parts: Parts, prefix: str) -> None:
        """Stand around `inner`; parts: what the application works with. prefix: of its paths."""
        self._inner = inner
        self._parts = parts
        self._no_room = problem_body(prefix, problems.OVERLOADED, NO_ROOM)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        begun = Begun()
        pieces = self._inner(environ, begun)
        if environ["REQUEST_METHOD"] != "GET" or not _is_long(pieces):
            start_response(begun.status, begun.headers, *begun.error)
            return pieces

        slots: Slots = self._parts["slots"]
        slot = slots.take(*sender_of(environ, self._parts))
        if slot is None:
            metrics.SHED.labels("answer").inc()
            return refuse(start_response, self._no_room)

        start_response(begun.status, begun.headers, *begun.error)
        return ClosingIterator(in_pieces(pieces[0]), slot.give_back)


def _is_long(pieces: Iterable[bytes]) -> TypeGuard[list[bytes]]:
    """Return whether these are a whole body, and a long one."""
    return isinstance(pieces, list) and len(pieces) == 1 and len(pieces[0]) > _LONG_BYTES
