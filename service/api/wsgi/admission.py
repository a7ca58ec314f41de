"""The gate in front of the application: so many requests at work, so many waiting, and no more.

What comes beyond is told so at once, which costs little, instead of being kept waiting in a line that only grows.
The probes have permits of their own; /livez needs none, for it does no more work than refusing it would, and whoever
floods it must not make the service look dead.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from service import metrics
from service.api.problems import kinds
from service.api.wsgi.bodies import DIRECT, Body, Readers, cut_short, lengthened
from service.api.wsgi.gate import Gate, Permit
from service.api.wsgi.middleware import CLOSED, SECURITY, App, Headers
from service.config import Config
from service.errors import Overloaded
from service.keys import tokens

PERMIT = "giornale.permit"
ALIVE = "/livez"
PROBES = ("/readyz", "/metrics")

WAITING = 128
PROBES_AT_ONCE = 2
PROBES_WAITING = 16
BODIES = 64
_SECONDS = 1.0  # so long a request waits for its turn
_BACK_SECONDS = 10.0  # so long one that stepped aside, which may have waited for a minute anyway
_SPARE = 32  # threads that tell others that there is no room

_DETAIL = "The service has more requests at hand than it can answer; nothing was done."


def threads(config: Config) -> int:
    """Return how many threads of the server can be held at once, so that nothing ever waits inside of it.

    Requests at work and those that wait for it; as many bodies in line as are being read; the probes; long answers.
    """
    probes = len(PROBES) * (PROBES_AT_ONCE + PROBES_WAITING)
    return config.web_threads + WAITING + 2 * BODIES + DIRECT + probes + config.streams + _SPARE


class Admission:
    """A WSGI application around another, which lets in as much as can be answered soon."""

    def __init__(self, inner: App, config: Config, holders: Container[str] = ()) -> None:
        """`holders`: the fields of tokens that count, as far as this process knows them."""
        self._inner = inner
        self._holders = holders
        self._work = Gate(
            config.web_threads,
            waiting=WAITING,
            seconds=_SECONDS,
            at_work=metrics.AT_WORK,
            in_line=metrics.WAITING,
        )
        self._alive = (ALIVE, config.path_prefix + ALIVE)
        self._probes = _probe_gates(config.path_prefix)
        self._readers = Readers(BODIES)
        self._shed_body = _shed_body(config.path_prefix)

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer one request, or tell that there is no room for it."""
        if environ["PATH_INFO"] in self._alive:
            return self._inner(environ, start_response)
        permit = Permit(self._probes.get(environ["PATH_INFO"], self._work))
        if not permit.take():
            return self._shed(start_response)
        environ[PERMIT] = permit
        try:
            if _has_body(environ):
                return self._with_body(environ, start_response, permit)
            return self._inner(environ, start_response)
        finally:
            permit.give_back()

    def _with_body(
        self, environ: dict[str, Any], start_response: Callable[..., Any], permit: Permit
    ) -> Iterable[bytes]:
        length = environ.get("CONTENT_LENGTH", "")
        body = Body(
            environ["wsgi.input"],
            int(length) if length.isdecimal() else None,
            self._readers,
            permit,
            trusted=self._has_token(environ),
        )
        environ["wsgi.input"] = body

        def start(status: str, headers: Headers, *error: Any) -> Any:
            return start_response(status, lengthened(headers) if body.too_slow else headers, *error)

        answer = self._inner(environ, start)
        return cut_short(b"".join(answer)) if body.too_slow else answer

    def _has_token(self, environ: dict[str, Any]) -> bool:
        """Return whether the sender shows a token that this process has seen to count."""
        scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        return scheme.lower() == "bearer" and tokens.field(token.strip()) in self._holders

    def _shed(self, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Tell that there is no room; Flask has no part in it, so it is cheap."""
        metrics.SHED.labels("work").inc()
        length = ("Content-Length", str(len(self._shed_body)))
        start_response("503 Service Unavailable", [*_SHED_HEADERS, length])
        return [self._shed_body]


def _probe_gates(prefix: str) -> dict[str, Gate]:
    """Return the gate of each probe by its path, which is answered with the prefix and without."""
    gates: dict[str, Gate] = {}
    for path in PROBES:
        gates[path] = gates[prefix + path] = Gate(
            PROBES_AT_ONCE, waiting=PROBES_WAITING, seconds=_SECONDS
        )
    return gates


def _shed_body(prefix: str) -> bytes:
    """Return the problem that tells that there is no room."""
    kind = kinds.OVERLOADED
    problem = {
        "type": f"{prefix}/problems/{kind.name}",
        "title": kind.title,
        "status": kind.status,
        "detail": _DETAIL,
    }
    return orjson.dumps(problem)


def _has_body(environ: dict[str, Any]) -> bool:
    return environ.get("CONTENT_LENGTH", "0") != "0" or "HTTP_TRANSFER_ENCODING" in environ


@contextmanager
def stepped_aside(environ: dict[str, Any]) -> Iterator[None]:
    """Give back the permit to work while a request waits on purpose; raises Overloaded if it gets none afterwards."""
    permit: Permit | None = environ.get(PERMIT)
    if permit is not None:
        permit.give_back()
    yield
    if permit is not None and not permit.take_again(_BACK_SECONDS):
        metrics.SHED.labels("work").inc()
        raise Overloaded(_DETAIL)


_SHED_HEADERS: Headers = [
    ("Content-Type", "application/problem+json"),
    ("Cache-Control", "no-store"),
    ("Retry-After", "1"),
    *SECURITY,
    *CLOSED,
]
