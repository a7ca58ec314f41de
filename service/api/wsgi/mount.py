"""The path under which the service is mounted (GIORNALE_PATH_PREFIX)."""

from collections.abc import Iterable

from service.api.wsgi.middleware import App, Environ, StartResponse

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
