"""Compression: long answers with gzip for those who accept it (RFC 9110, Content-Encoding).

Compressed are whole answers to GET and HEAD above LEAST bytes, and lines of unknown length. Not
compressed are answers to POST and DELETE, so that a move costs nothing and no token is ever in a
compressed body; errors; what is short; and live streams, whose events must leave at once.

A compressed answer is another representation, so its ETag is another: MARK stands before the last
quote. Everything within this layer knows plain ETags alone. docs/performance.md says why it is so.
"""

import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache

from werkzeug.datastructures import Headers as HeaderFields
from werkzeug.http import parse_accept_header
from werkzeug.wsgi import ClosingIterator

from service.api.http.context import state_of
from service.api.wsgi import App, Environ, Headers, joined

LEAST = 1400  # bytes; what is shorter fits into one packet anyhow
MARK = ';gzip"'
TYPES = frozenset(
    {
        "application/json",
        "application/x-ndjson",
        "application/yaml",
        "image/svg+xml",
        "text/css",
        "text/html",
        "text/javascript",
        "text/plain",
    }
)

# Of 9 levels. At this one a state of 2.5 kB takes 50 microseconds and a third of its bytes, hardly
# more than at level 9.
_LEVEL = 3
_LEVEL_OF_PAGES = 9
# zlib's way to ask for the header of gzip. It holds no time, so equal bytes give equal bytes.
_GZIP = 16 + zlib.MAX_WBITS


class ResponseStart:
    """What an application says of its response before the body: status and headers.

    It stands in the place of WSGI's `start_response`, and keeps what that is called with.
    """

    def __init__(self, status: str = "", headers: Headers | None = None) -> None:
        self.status = status
        self.headers: Headers = headers or []
        self.error: tuple[object, ...] = ()

    def __call__(self, status: str, headers: Headers, *error: object) -> None:
        """Take what WSGI's start_response is called with."""
        self.status = status
        self.headers = headers
        self.error = error

    def header(self, wanted: str) -> str:
        """Return a header, "" if there is none; most answers need no more than this.

        wanted: its name as Werkzeug writes it.
        """
        for name, value in self.headers:
            if name == wanted:
                return value
        return ""


def answer(inner: App, environ: Environ) -> tuple[ResponseStart, Iterable[bytes]]:
    """Return what an application answers to GET or HEAD, compressed where that is worth it."""
    held = environ.get("HTTP_IF_NONE_MATCH", "")
    if MARK in held:
        environ["HTTP_IF_NONE_MATCH"] = held.replace(MARK, '"')

    begun = ResponseStart()
    body = inner(environ, begun)
    if begun.status.startswith("304"):
        begun.headers = _unchanged(begun.headers, held)
    elif begun.status.startswith("200") and _is_worth_it(begun):
        fields = HeaderFields(begun.headers)
        body = _body_as_sent(environ, fields, body)
        begun.headers = fields.to_wsgi_list()
    return begun, body


@lru_cache(maxsize=256)
def accepts_gzip(accepted: str) -> bool:
    """Return whether a header Accept-Encoding accepts gzip, and does not prefer plain bytes."""
    quality: dict[str, float] = dict(parse_accept_header(accepted.lower()))
    of_others = quality.get("*", 0.0)
    of_gzip = quality.get("gzip", quality.get("x-gzip", of_others))
    of_plain = quality.get("identity", 0.0)
    return of_gzip > 0 and of_gzip >= of_plain


def _is_worth_it(begun: ResponseStart) -> bool:
    """Return whether an answer is compressed for those who accept it."""
    length = begun.header("Content-Length")
    if length and int(length) < LEAST:
        return False
    media_type, _, _ = begun.header("Content-Type").partition(";")
    return media_type in TYPES and not begun.header("Content-Encoding")


def _unchanged(headers: Headers, held: str) -> Headers:
    """Return the headers of an answer without a body: its ETag is the one that the caller has.

    held: the header If-None-Match as it was sent.
    """
    fields = HeaderFields(headers)
    _vary_by_encoding(fields)
    marked_tag = _marked(fields.get("ETag", ""))
    if marked_tag in held:
        fields["ETag"] = marked_tag
    return fields.to_wsgi_list()


def _body_as_sent(environ: Environ, fields: HeaderFields, body: Iterable[bytes]) -> Iterable[bytes]:
    """Return the body of a long answer as it is sent, and change its headers accordingly."""
    _vary_by_encoding(fields)
    if not accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
        return body

    length = fields.pop("Content-Length", None)
    fields["Content-Encoding"] = "gzip"
    if "ETag" in fields:
        fields["ETag"] = _marked(fields["ETag"])

    if environ["REQUEST_METHOD"] == "HEAD":
        return body
    if length is None:
        return ClosingIterator(_compressed_stream(body), getattr(body, "close", None))

    compressed = _compressed_whole(environ, joined(body))
    fields["Content-Length"] = str(len(compressed))
    return [compressed]


def _compressed_whole(environ: Environ, plain: bytes) -> bytes:
    """Return a whole body compressed; some are at hand."""
    at_hand = state_of(environ).compressed
    if at_hand is not None:
        return at_hand()
    is_page = not environ["PATH_INFO"].startswith("/v1/")
    return _compressed_page(plain) if is_page else _compressed(plain)


def _vary_by_encoding(fields: HeaderFields) -> None:
    """Let caches know that Accept-Encoding decides."""
    vary = fields.get("Vary")
    fields["Vary"] = f"{vary}, Accept-Encoding" if vary else "Accept-Encoding"


def _marked(tag: str) -> str:
    """Return the ETag of the compressed form of what has an ETag."""
    return tag[:-1] + MARK


def _compressed(plain: bytes) -> bytes:
    return zlib.compress(plain, _LEVEL, _GZIP)


@lru_cache(maxsize=64)
def _compressed_page(plain: bytes) -> bytes:
    """Return the same for one of the few pages outside of /v1, which change with releases alone."""
    return zlib.compress(plain, _LEVEL_OF_PAGES, _GZIP)


def _compressed_stream(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield chunks compressed as one; each comes out soon, for a record may be long in coming."""
    compressor = zlib.compressobj(_LEVEL, wbits=_GZIP)
    for chunk in chunks:
        yield compressor.compress(chunk) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush()
