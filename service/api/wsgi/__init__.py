"""Layers around the application, with the types of WSGI (PEP 3333) and their refusals."""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any, NamedTuple, Self
from wsgiref.types import WSGIEnvironment

from service.api.problems import PROBLEM, Kind, problem_bytes
from service.base.release import release

Environ = WSGIEnvironment
Headers = list[tuple[str, str]]
StartResponse = Callable[..., Any]
App = Callable[[Environ, StartResponse], Iterable[bytes]]


def joined(pieces: Iterable[bytes]) -> bytes:
    """Return a body in one piece, and close the iterable."""
    try:
        return b"".join(pieces)
    finally:
        if hasattr(pieces, "close"):
            pieces.close()


# ---- refusals: problems sent without Flask, because they must cost little ------------------------


SECURITY_HEADERS: Headers = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
]
# The policy of answers without a policy of their own. Pages and static files have their own.
NOTHING_LOADS = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")


class Refusal(NamedTuple):
    """An answer to a request that goes no further."""

    status: str
    headers: Headers
    body: bytes

    @classmethod
    def of(cls, prefix: str, kind: Kind, detail: str, after: int | None = None) -> Self:
        """Return a problem of a kind.

        prefix: the mount path of the service.   after: seconds until a retry, None without advice.
        """
        return cls.with_body(kind.status, PROBLEM, problem_bytes(prefix, kind, detail), after)

    @classmethod
    def with_body(cls, status: int, media_type: str, body: bytes, after: int | None = None) -> Self:
        """Return an answer with any body. Nobody may cache it."""
        headers = [
            ("Content-Type", media_type),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
        ]
        if after is not None:
            headers.append(("Retry-After", str(after)))
        return cls(f"{status} {HTTPStatus(status).phrase.upper()}", headers, body)

    def send(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request with this refusal."""
        start_response(self.status, self.headers)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [self.body]

    def send_bare(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer with this refusal, and add the common headers.

        For layers around the request scope. The request scope adds these headers to all other
        answers.
        """
        version = ("Giornale-Version", release())
        whole = self._replace(headers=[*self.headers, version, *SECURITY_HEADERS, NOTHING_LOADS])
        return whole.send(environ, start_response)
