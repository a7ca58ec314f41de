"""Refusals: problems that are sent without Flask, for they must cost little."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import NamedTuple, Self

from service.api.problems import PROBLEM, Kind, problem_bytes
from service.api.wsgi import Environ, Headers, StartResponse

SECURITY_HEADERS: Headers = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
]
# For every answer but the pages, which say themselves what they may load.
NOTHING_LOADS = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")


class Refusal(NamedTuple):
    """An answer to a request that comes no further."""

    status: str
    headers: Headers
    body: bytes

    @classmethod
    def of(cls, prefix: str, kind: Kind, detail: str, after: int | None = None) -> Self:
        """Return a problem of a kind.

        prefix: the path under which the service is mounted.   after: seconds to wait, if it passes.
        """
        return cls.with_body(kind.status, PROBLEM, problem_bytes(prefix, kind, detail), after)

    @classmethod
    def with_body(cls, status: int, media_type: str, body: bytes, after: int | None = None) -> Self:
        """Return any other answer that nobody may keep."""
        headers = [
            ("Content-Type", media_type),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
        ]
        if after is not None:
            headers.append(("Retry-After", str(after)))
        return cls(f"{status} {HTTPStatus(status).phrase.upper()}", headers, body)

    def send(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request so."""
        start_response(self.status, self.headers)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [self.body]

    def send_bare(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer so where no other layer adds the headers that every answer has."""
        whole = self._replace(headers=[*self.headers, *SECURITY_HEADERS, NOTHING_LOADS])
        return whole.send(environ, start_response)
