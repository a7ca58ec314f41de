"""Refusals without Flask, made before anybody asks: they must cost little."""

from collections.abc import Iterable

import orjson

from service.api import links
from service.api.problems.kinds import Kind
from service.api.wsgi.middleware import NOTHING_LOADS, SECURITY_HEADERS, Headers, StartResponse

_PROBLEM = "application/problem+json"
_HEADERS: Headers = [
    ("Cache-Control", "no-store"),
    ("Retry-After", "1"),
    *SECURITY_HEADERS,
    *NOTHING_LOADS,
]


def problem_body(prefix: str, kind: Kind, detail: str) -> bytes:
    """Return a problem as it is sent. prefix: the path under which the service is mounted."""
    problem = {
        "type": links.problem_under(prefix, kind.name),
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
    }
    return orjson.dumps(problem)


def refuse(
    start_response: StartResponse, body: bytes, media_type: str = _PROBLEM
) -> Iterable[bytes]:
    """Answer 503 with a body, for a second at least."""
    own_headers = [("Content-Type", media_type), ("Content-Length", str(len(body)))]
    start_response("503 Service Unavailable", [*own_headers, *_HEADERS])
    return [body]
