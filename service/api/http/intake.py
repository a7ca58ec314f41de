"""Large bodies taken line by line while they come, so that what is refused was never held."""

from collections.abc import Iterator

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.http.json_body import demand

MOST_BYTES = 4 * 1024 * 1024  # a record has about a quarter of one MiB
_CHUNK_BYTES = 64 * 1024


def lines(kind: str) -> Iterator[bytes]:
    """Return the lines of the request's body, line feeds included, as they come.

    Raises UnsupportedMedia for another media type than `kind` and, at the latest when too much has
    come, RequestEntityTooLarge.
    """
    demand(kind)
    request.max_content_length = MOST_BYTES
    if (request.content_length or 0) > MOST_BYTES:
        raise RequestEntityTooLarge
    return _lines()


def _lines() -> Iterator[bytes]:
    bytes_taken = 0
    begun_line = b""
    while chunk := request.stream.read(_CHUNK_BYTES):
        bytes_taken += len(chunk)
        if bytes_taken > MOST_BYTES:
            raise RequestEntityTooLarge

        *whole_lines, begun_line = (begun_line + chunk).split(b"\n")
        for line in whole_lines:
            yield line + b"\n"

    if begun_line:
        yield begun_line
