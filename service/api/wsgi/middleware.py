"""The outermost layer: headers that every answer carries, and whole bodies in one piece."""

from collections.abc import Callable, Iterable
from typing import Any

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
