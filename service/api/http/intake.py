"""Large bodies taken line by line while they come, so that what is refused was never held."""

from collections.abc import Iterator

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.http.answers import demand

MOST_BYTES = 4 * 1024 * 1024  # a record has about a quarter of one MiB
_CHUNK = 64 * 1024


def lines(kind: str) -> Iterator[bytes]:
    """Return the lines of the request's body, line feeds included, as they come.

    Raises UnsupportedMedia for another media type and, at the latest when too much has come, RequestEntityTooLarge.
    """
    demand(kind)
    request.max_content_length = MOST_BYTES
    if (request.content_length or 0) > MOST_BYTES:
        raise RequestEntityTooLarge
    return _lines()


def _lines() -> Iterator[bytes]:
    taken = 0
    begun = b""
    while chunk := request.stream.read(_CHUNK):
        taken += len(chunk)
        if taken > MOST_BYTES:
            raise RequestEntityTooLarge
        first, *others = (begun + chunk).split(b"\n")
        begun = first
        for other in others:
            yield begun + b"\n"
            begun = other
    if begun:
        yield begun
