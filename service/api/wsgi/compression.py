"""Compression: long answers in the preferred coding of the request (RFC 9110, Content-Encoding).

Answers to GET and HEAD with the status 200 are compressed: whole answers from LEAST bytes on, and
lines of unknown length. Answers to other methods are not compressed, so a move costs nothing and no
token is ever in a compressed body. Errors, short answers and live streams are not compressed
either. The events of a stream must leave at once.

A compressed answer is another representation with another ETag: `;zstd`, `;br` or `;gzip` stands
before the last quote. The layers within this one know only plain ETags.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from werkzeug.datastructures import Headers as HeaderFields
from werkzeug.wsgi import ClosingIterator

from service.api.http.context import state_of
from service.api.wsgi import App, Environ, Headers, joined
from service.api.wsgi.codings import CODINGS, Coding, preferred

LEAST = 1400  # bytes: a shorter answer fits into one packet
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

# The end of the ETag of a compressed answer.
_MARK = re.compile(f';(?:{"|".join(coding.name for coding in CODINGS)})"')
# Largest number of stored bodies that stay the same for a release: pages, the contract and static
# files, each in three codings.
_MOST_LASTING = 1024


class ResponseStart:
    """The start of a response: status and headers.

    An instance takes the place of WSGI's `start_response`, and stores the arguments.
    """

    def __init__(self, status: str = "", headers: Headers | None = None) -> None:
        self.status = status
        self.headers: Headers = headers or []
        self.error: tuple[object, ...] = ()

    def __call__(self, status: str, headers: Headers, *error: object) -> None:
        """Store the arguments of WSGI's start_response."""
        self.status = status
        self.headers = headers
        self.error = error

    def header(self, field_name: str) -> str:
        """Return a header, "" if there is none.

        field_name: the header's name in Werkzeug's spelling.
        """
        for name, value in self.headers:
            if name == field_name:
                return value
        return ""


def answer(inner: App, environ: Environ) -> tuple[ResponseStart, Iterable[bytes]]:
    """Return an application's answer to GET or HEAD, compressed if worth it."""
    if_none_match = environ.get("HTTP_IF_NONE_MATCH", "")
    if if_none_match:
        environ["HTTP_IF_NONE_MATCH"] = _MARK.sub('"', if_none_match)

    start = ResponseStart()
    body = inner(environ, start)
    if start.status.startswith("304"):
        start.headers = _unchanged(start.headers, if_none_match)
    elif start.status.startswith("200") and _is_worth_it(start):
        fields = HeaderFields(start.headers)
        body = _body_as_sent(environ, fields, body)
        start.headers = fields.to_wsgi_list()
    return start, body


def _is_worth_it(start: ResponseStart) -> bool:
    """Return True if an answer is to be compressed for requests that accept a coding."""
    length = start.header("Content-Length")
    if length and int(length) < LEAST:
        return False
    media_type, _, _ = start.header("Content-Type").partition(";")
    return media_type in TYPES and not start.header("Content-Encoding")


def _unchanged(headers: Headers, if_none_match: str) -> Headers:
    """Return the headers of a 304, with the ETag of the form that the caller has.

    if_none_match: the header If-None-Match as sent.
    """
    fields = HeaderFields(headers)
    _vary_by_encoding(fields)
    plain_tag = fields.get("ETag", "")
    for coding in CODINGS:
        if _marked(plain_tag, coding) in if_none_match:
            fields["ETag"] = _marked(plain_tag, coding)
    return fields.to_wsgi_list()


def _body_as_sent(environ: Environ, fields: HeaderFields, body: Iterable[bytes]) -> Iterable[bytes]:
    """Return the body of a long answer in the preferred coding, and adapt its headers."""
    _vary_by_encoding(fields)
    coding = preferred(environ.get("HTTP_ACCEPT_ENCODING", ""))
    if coding is None:
        return body

    length = fields.pop("Content-Length", None)
    fields["Content-Encoding"] = coding.name
    if "ETag" in fields:
        fields["ETag"] = _marked(fields["ETag"], coding)

    if environ["REQUEST_METHOD"] == "HEAD":
        return body
    if length is None:
        return ClosingIterator(coding.stream(body), getattr(body, "close", None))

    plain = joined(body)
    compressed = _lasting(coding, plain) if state_of(environ).lasts else coding.fast(plain)
    fields["Content-Length"] = str(len(compressed))
    return [compressed]


def _vary_by_encoding(fields: HeaderFields) -> None:
    """Tell caches that answers vary by Accept-Encoding."""
    vary = fields.get("Vary")
    fields["Vary"] = f"{vary}, Accept-Encoding" if vary else "Accept-Encoding"


def _marked(tag: str, coding: Coding) -> str:
    """Return the ETag of the compressed form for a plain ETag."""
    return f'{tag[:-1]};{coding.name}"'


@lru_cache(maxsize=_MOST_LASTING)
def _lasting(coding: Coding, plain: bytes) -> bytes:
    """Compress a lasting body, once for all requests to this process."""
    return coding.small(plain)
