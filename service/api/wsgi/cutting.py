"""Answers that end before their promised length, so that the server closes the connection.

It must (RFC 9112, 6.3), for the client could not tell where the next answer begins. With the
connection ends the read of a body that came too slowly, and nothing else can end it.
"""

import time
from collections.abc import Callable, Iterator

from service.api.wsgi.middleware import Headers

_LENGTH = "content-length"
_FLUSH_SECONDS = 0.05  # so long the answer has to leave before the connection is ended


def lengthened(headers: Headers) -> Headers:
    """Return the headers of an answer that is to be cut short: they promise one byte too many."""
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


def cut_short(body: bytes, pause: Callable[[float], None] = time.sleep) -> Iterator[bytes]:
    """Yield all of an answer that promises more.

    The pause lets the answer reach the client before the connection ends: 408 is better news than a
    connection that breaks.
    """
    yield body
    pause(_FLUSH_SECONDS)
