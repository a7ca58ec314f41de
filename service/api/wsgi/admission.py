"""Admission: so many requests at work in front of the application, so many waiting, and no more.

What comes beyond is refused at once, which costs little, instead of being kept waiting in a line
that only grows. The probes have permits of their own. /livez needs none: it does no more work than
refusing it would, and a flood of it must not make the service look dead.

While the bundled server loads the journal for the first time, nothing else is answered at all: what
lies there is checked before anybody may touch it.
"""

from collections.abc import Container, Iterable
from pathlib import Path

import orjson

from service import metrics
from service.api import problems
from service.api.http.context import shown_token
from service.api.wsgi import App, Environ, Headers, Refusal, StartResponse, joined
from service.api.wsgi.bodies import DIRECT, Body, Readers, truncated, truncated_headers
from service.api.wsgi.gate import NO_ROOM, Gate, Permit, keep_permit
from service.config import Config

ALIVE = "/livez"
READY = "/readyz"
PROBES = (READY, "/metrics")

WAITING = 128
PROBES_AT_ONCE = 2
PROBES_WAITING = 16
BODIES = 64
_SECONDS = 1.0  # so long a request waits for its turn
_SPARE = 32  # threads that refuse others for want of room

_LOADING = "The journal is being loaded; nothing was done."
# What a probe is answered meanwhile, in its own form.
_UNREADY = Refusal.with_body(
    503,
    "application/json",
    orjson.dumps({"status": "unready", "checks": {"journal": "the journal is being loaded"}}),
    after=1,
)


def threads(config: Config) -> int:
    """Return how many threads the server needs, so that nothing ever waits inside of it.

    One for each request at work and each that waits for it; for as many bodies in line as are being
    read; for the probes; for the long answers.
    """
    bodies = 2 * BODIES + DIRECT
    probes = len(PROBES) * (PROBES_AT_ONCE + PROBES_WAITING)
    return config.web_threads + WAITING + bodies + probes + config.streams + _SPARE


class Admission:
    """A WSGI application around another, which lets in as much as can be answered soon."""

    def __init__(
        self,
        inner: App,
        config: Config,
        holders: Container[str] = (),
        unchecked: Path | None = None,
    ) -> None:
        """Put a gate before `inner`.

        holders: the fields of tokens that count, as far as this process knows them.
        unchecked: a file that is there until the journal was loaded and checked.
        """
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
        self._unchecked = unchecked
        self._ready = (READY, config.path_prefix + READY)
        prefix = config.path_prefix
        self._no_room = Refusal.of(prefix, problems.OVERLOADED, NO_ROOM, after=1)
        self._loading = Refusal.of(prefix, problems.UNAVAILABLE, _LOADING, after=1)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request, or refuse it because there is no room."""
        path = environ["PATH_INFO"]
        if path in self._alive:
            return self._inner(environ, start_response)
        if self._is_unchecked():
            refusal = _UNREADY if path in self._ready else self._loading
            return refusal.send_bare(environ, start_response)

        permit = Permit(self._probes.get(path, self._work))
        if not permit.take():
            metrics.SHED.labels("work").inc()
            return self._no_room.send_bare(environ, start_response)
        keep_permit(environ, permit)
        try:
            if _has_body(environ):
                return self._answer_with_body(environ, start_response, permit)
            return self._inner(environ, start_response)
        finally:
            permit.give_back()

    def _answer_with_body(
        self, environ: Environ, start_response: StartResponse, permit: Permit
    ) -> Iterable[bytes]:
        """Answer a request whose body the application reads through a `Body`.

        If it came too slowly, the answer says so and ends the connection.
        """
        trusted = self._shows_known_token(environ)
        body = Body(environ, self._readers, permit, trusted=trusted)
        environ["wsgi.input"] = body

        def start(status: str, headers: Headers, *error: object) -> object:
            sent = truncated_headers(headers) if body.too_slow else headers
            return start_response(status, sent, *error)

        pieces = self._inner(environ, start)
        return truncated(joined(pieces)) if body.too_slow else pieces

    def _shows_known_token(self, environ: Environ) -> bool:
        """Return whether the sender shows a token that this process has seen to count."""
        shown = shown_token(environ.get("HTTP_AUTHORIZATION", ""))
        return shown is not None and shown.holder_field in self._holders

    def _is_unchecked(self) -> bool:
        """Return whether the journal may not be touched yet; once it may, nobody looks again."""
        if self._unchecked is not None and not self._unchecked.exists():
            self._unchecked = None
        return self._unchecked is not None


def _has_body(environ: Environ) -> bool:
    return environ.get("CONTENT_LENGTH", "0") != "0" or "HTTP_TRANSFER_ENCODING" in environ


def _probe_gates(prefix: str) -> dict[str, Gate]:
    """Return the gate of each probe by its path, which is answered with the prefix and without."""
    gates: dict[str, Gate] = {}
    for path in PROBES:
        gate = Gate(PROBES_AT_ONCE, waiting=PROBES_WAITING, seconds=_SECONDS)
        gates[path] = gate
        gates[prefix + path] = gate
    return gates
