"""Bodies of requests, which are read so that no slow sender holds up the service.

A body is read when the application asks for it, by one of a few threads and within a deadline. To
hand it from thread to thread takes 3 to 6 % of the processor time of a move. Whoever has shown a
token that counts is therefore read directly, without a deadline, as long as few are.
"""

import time

from service.api.wsgi.gate import Permit
from service.api.wsgi.middleware import Environ
from service.api.wsgi.readers import Readers, Source
from service.errors import BodyTooSlow

_SECONDS = 5.0  # for any body; a longer one has more
_BYTES_A_SECOND = 65536  # so slowly may a body come
_UNKNOWN_SECONDS = 10.0  # for one sent in chunks, whose length nobody knows


class Body:
    """The body of one request, in place of the server's `wsgi.input`.

    Nothing is read until somebody asks.
    """

    def __init__(
        self, environ: Environ, readers: Readers, permit: Permit, *, trusted: bool = False
    ) -> None:
        """Make the body of a request.

        trusted: it may be read without a deadline, if there is room for that.
        """
        self.too_slow = False
        self._source: Source = environ["wsgi.input"]
        self._bytes_to_come = _length(environ)
        self._readers = readers
        self._permit = permit
        self._trusted = trusted
        # Until when all of it must have come (time.monotonic); 0: nobody has asked yet.
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
            return self._readers.read(self._source, size, self._ends, self._permit)
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
    return _SECONDS + length / _BYTES_A_SECOND
