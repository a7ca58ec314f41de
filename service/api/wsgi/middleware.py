"""The outermost layer: headers that every answer carries, and whole bodies handed to the server as they are."""

from collections.abc import Callable, Iterable
from typing import Any

Headers = list[tuple[str, str]]
App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

MORE = "giornale.headers"
SECURITY: Headers = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
]
CLOSED: Headers = [("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")]


class Edge:
    """A WSGI application around another: adds what the hooks left under MORE and the security headers.

    A body of known length is answered in one piece, which servers send faster than a stream.
    """

    def __init__(self, inner: App) -> None:
        self._inner = inner

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer one request."""
        whole = False

        def start(status: str, headers: Headers, *error: Any) -> Any:
            nonlocal whole
            names = {name.lower() for name, _ in headers}
            whole = "content-length" in names
            closed = [] if "content-security-policy" in names else CLOSED
            return start_response(
                status, [*headers, *environ.get(MORE, ()), *SECURITY, *closed], *error
            )

        body = self._inner(environ, start)
        if not whole:
            return body
        try:
            return [b"".join(body)]
        finally:
            if hasattr(body, "close"):
                body.close()
