"""The outermost layer: headers that every answer carries, and whole bodies in one piece."""

from collections.abc import Callable, Iterable
from typing import Any

import orjson

from service.api import links
from service.api.problems import Kind

# §§§ service.api.wsgi.middleware


Environ = dict[str, Any]
Headers = list[tuple[str, str]]
StartResponse = Callable[..., Any]
App = Callable[[Environ, StartResponse], Iterable[bytes]]

# Key of the WSGI environment: headers that the hooks leave for the answer.
MORE_HEADERS = "giornale.headers"

SECURITY_HEADERS: Headers = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
]
# For every answer but the pages, which say themselves what they may load.
NOTHING_LOADS: Headers = [
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
]


class CommonHeaders:
    """A WSGI application around another: adds the headers that every answer has.

    A body of known length is answered in one piece, which servers send faster than a stream.
    """

    def __init__(self, inner: App) -> None:
        self._inner = inner

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        is_whole = False

        def start(status: str, headers: Headers, *error: Any) -> Any:
            nonlocal is_whole
            names = {name.lower() for name, _ in headers}
            is_whole = "content-length" in names

            all_headers = [*headers, *environ.get(MORE_HEADERS, ()), *SECURITY_HEADERS]
            if "content-security-policy" not in names:
                all_headers += NOTHING_LOADS
            return start_response(status, all_headers, *error)

        pieces = self._inner(environ, start)
        return [joined(pieces)] if is_whole else pieces


def joined(pieces: Iterable[bytes]) -> bytes:
    """Return a body in one piece, and close what it came from (PEP 3333)."""
    try:
        return b"".join(pieces)
    finally:
        if hasattr(pieces, "close"):
            pieces.close()


# §§§ service.api.wsgi.middleware
# The path under which the service is mounted (GIORNALE_PATH_PREFIX).


_PROBES = frozenset({"/livez", "/readyz", "/metrics"})
_NOWHERE = "/outside-the-prefix"  # no route leads there, so the answer is the usual 404


class Mount:
    """A WSGI application around another, which it shows under a prefix.

    Probes are answered with the prefix and without it.

    Werkzeug's DispatcherMiddleware does this, too, but takes time that grows with the square of
    the slashes.
    """

    def __init__(self, inner: App, prefix: str) -> None:
        self._inner = inner
        self._prefix = prefix

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        prefix = self._prefix
        path = environ.get("PATH_INFO", "")
        is_inside = path == prefix or path.startswith(f"{prefix}/")

        if is_inside:
            environ["SCRIPT_NAME"] = prefix
            environ["PATH_INFO"] = path.removeprefix(prefix) or "/"
        elif path not in _PROBES:
            environ["PATH_INFO"] = _NOWHERE
        return self._inner(environ, start_response)


# §§§ service.api.wsgi.middleware
# Refusals without Flask, made before anybody asks: they must cost little.


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
