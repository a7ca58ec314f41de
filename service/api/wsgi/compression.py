"""Compress long answers with gzip for those who accept it (RFC 9110, Content-Encoding).

Compressed are whole answers to GET and HEAD above LEAST bytes, and lines of unknown length. Not compressed
are answers to POST and DELETE, so that a move costs nothing and no token is ever in a compressed body;
errors; what is short; and live streams, whose events must leave at once.

A compressed answer is another representation, so its ETag is another: MARK stands before the last quote.
Everything within this layer knows plain ETags alone. docs/decisions/0033 says why it is so.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.http import parse_accept_header
from werkzeug.wsgi import ClosingIterator

Environ = dict[str, Any]
App = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

LEAST = 1400  # bytes; what is shorter fits into one packet anyhow
LEVEL = 3  # of 9: a state of 2.5 kB takes 50 microseconds and a third of its bytes, hardly more than at level 9
MARK = ';gzip"'
TYPES = frozenset(
    {
        "application/json",
        "application/x-ndjson",
        "application/yaml",
        "text/css",
        "text/html",
        "text/plain",
    }
)
_GZIP = (
    16 + zlib.MAX_WBITS
)  # zlib's way to ask for the header of gzip; it holds no time, so equal is equal


@dataclass(slots=True)
class _Begun:
    """What the application within has said of its answer before the body."""

    status: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    error: tuple[Any, ...] = ()

    def __call__(self, status: str, headers: list[tuple[str, str]], *error: Any) -> None:
        self.status = status
        self.headers = headers
        self.error = error

    def header(self, wanted: str) -> str:
        """Return a header as Werkzeug writes its name, "" if there is none; most answers need no more than this."""
        return next((value for name, value in self.headers if name == wanted), "")


class Compression:
    """A WSGI application around another that compresses what is worth it."""

    def __init__(self, inner: App) -> None:
        self._inner = inner

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request."""
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            return self._inner(environ, start_response)
        held = environ.get("HTTP_IF_NONE_MATCH", "")
        if MARK in held:
            environ["HTTP_IF_NONE_MATCH"] = held.replace(MARK, '"')
        begun = _Begun()
        body = self._inner(environ, begun)
        if begun.status.startswith("304"):
            begun.headers = _unchanged(begun.headers, held)
        elif begun.status.startswith("200") and _is_worth_it(begun):
            headers = Headers(begun.headers)
            body = _answer(environ, headers, body)
            begun.headers = headers.to_wsgi_list()
        start_response(begun.status, begun.headers, *begun.error)
        return body


def init(app: Flask) -> None:
    """Let the answers of the application be compressed."""
    app.wsgi_app = Compression(app.wsgi_app)  # type: ignore[method-assign]


def _is_worth_it(begun: _Begun) -> bool:
    """Return whether an answer is compressed for those who accept it."""
    length = begun.header("Content-Length")
    if length and int(length) < LEAST:
        return False
    kind = begun.header("Content-Type").partition(";")[0]
    return kind in TYPES and not begun.header("Content-Encoding")


def _unchanged(headers: list[tuple[str, str]], held: str) -> list[tuple[str, str]]:
    """Return the headers of an answer without a body: its ETag is the one that the caller has."""
    told = Headers(headers)
    _vary(told)
    if _marked(told.get("ETag", "")) in held:
        told["ETag"] = _marked(told["ETag"])
    return told.to_wsgi_list()


def _answer(environ: Environ, headers: Headers, body: Iterable[bytes]) -> Iterable[bytes]:
    """Return the body of a long answer as it is sent, and change its headers accordingly."""
    _vary(headers)
    if not accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
        return body
    length = headers.pop("Content-Length", None)
    headers["Content-Encoding"] = "gzip"
    if "ETag" in headers:
        headers["ETag"] = _marked(headers["ETag"])
    if environ["REQUEST_METHOD"] == "HEAD":
        return body
    if length is None:
        return ClosingIterator(_squeezed_stream(body), getattr(body, "close", None))
    page = not environ["PATH_INFO"].startswith("/v1/")
    return _whole(headers, body, _squeezed_once if page else _squeezed)


def _whole(
    headers: Headers, body: Iterable[bytes], squeeze: Callable[[bytes], bytes]
) -> list[bytes]:
    try:
        plain = b"".join(body)
    finally:
        if hasattr(body, "close"):
            body.close()
    squeezed = squeeze(plain)
    headers["Content-Length"] = str(len(squeezed))
    return [squeezed]


@lru_cache(maxsize=256)
def accepts_gzip(accepted: str) -> bool:
    """Return whether a header Accept-Encoding accepts gzip, and does not like plain bytes better."""
    quality: dict[str, float] = dict(parse_accept_header(accepted.lower()))
    gzip = quality.get("gzip", quality.get("x-gzip", quality.get("*", 0.0)))
    return gzip > 0 and gzip >= quality.get("identity", 0.0)


def _vary(headers: Headers) -> None:
    """Tell caches that Accept-Encoding decides."""
    vary = headers.get("Vary")
    headers["Vary"] = f"{vary}, Accept-Encoding" if vary else "Accept-Encoding"


def _marked(tag: str) -> str:
    return tag[:-1] + MARK


def _squeezed(plain: bytes) -> bytes:
    return zlib.compress(plain, LEVEL, _GZIP)


@lru_cache(maxsize=64)
def _squeezed_once(plain: bytes) -> bytes:
    """Return the same for one of the few pages outside of /v1, which change only with a release."""
    return zlib.compress(plain, 9, _GZIP)


def _squeezed_stream(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield chunks compressed as one; each comes out soon, for a record may be long in coming."""
    squeezer = zlib.compressobj(LEVEL, wbits=_GZIP)
    for chunk in chunks:
        yield squeezer.compress(chunk) + squeezer.flush(zlib.Z_SYNC_FLUSH)
    yield squeezer.flush()
