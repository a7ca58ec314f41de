"""Layers around the application, and the types of WSGI (PEP 3333) that they share."""

from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import WSGIEnvironment

Environ = WSGIEnvironment
Headers = list[tuple[str, str]]
StartResponse = Callable[..., Any]
App = Callable[[Environ, StartResponse], Iterable[bytes]]


def joined(pieces: Iterable[bytes]) -> bytes:
    """Return a body in one piece, and close what it came from."""
    try:
        return b"".join(pieces)
    finally:
        if hasattr(pieces, "close"):
            pieces.close()
