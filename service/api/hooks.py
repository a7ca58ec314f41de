"""What happens around every request: its id, the caller's share, headers, metrics, one line of log."""

import logging
import re
import secrets
from time import perf_counter
from typing import Any

from flask import Flask, Request, Response, current_app, g, request
from flask.sessions import NullSession, SessionInterface, SessionMixin

from service import metrics, tracing
from service.api.contract.operations import Operation
from service.api.guard import Guard
from service.api.http.clients import Proxies
from service.api.http.context import config
from service.api.http.limits import RateLimits, Told, caller_key, sender_key
from service.api.wsgi.middleware import MORE, Edge, Headers
from service.api.wsgi.mount import Mount
from service.errors import TooMany

_log = logging.getLogger("giornale.request")
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

_EXPOSED = "ETag, Link, Location, Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
_ALLOWED = (
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, Giornale-Tokens, "
    "X-Request-Id"
)
_FOR_ANY_HOST = frozenset(
    {"health.live", "health.ready"}
)  # who probes may know nothing but an address
_UNCOUNTED = frozenset({"health.live", "health.ready", "health.measures"})


class NoSession(SessionInterface):
    """There are no cookies, so nothing is looked for in them."""

    def open_session(self, app: Flask, request: Request) -> SessionMixin:  # noqa: ARG002
        """Return a session that holds nothing."""
        return NullSession()

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Save nothing."""


def init(app: Flask) -> None:
    """Let the hooks run around every request."""
    app.before_request(_begin)
    app.after_request(_end)
    app.session_interface = NoSession()
    prefix = app.config["GIORNALE"].path_prefix
    inner = Mount(app.wsgi_app, prefix) if prefix else app.wsgi_app
    app.wsgi_app = Edge(inner)  # type: ignore[method-assign]
    if tracing.is_on():
        proxies: Proxies = app.extensions["proxies"]
        app.wsgi_app = tracing.Door(app.wsgi_app, proxies.trusts)  # type: ignore[method-assign]


def _begin() -> Response | None:
    g.began = perf_counter()
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if _ID.fullmatch(given) else secrets.token_hex(8)
    guard: Guard = current_app.extensions["guard"]
    environ = request.environ
    endpoint = request.endpoint
    refused = None if endpoint in _FOR_ANY_HOST else guard.misdirected(environ)
    if refused is not None:
        return refused

    if environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ORIGIN" in environ:
        return _preflight()
    refused = guard.cross_site(environ)
    if refused is not None:
        return refused

    if endpoint not in _UNCOUNTED:
        _count()
    return None


def _count() -> None:
    """Count this request; raises TooMany."""
    limits: RateLimits | None = current_app.extensions["rate_limit"]
    told = limits.count(caller_key(), sender_key()) if limits is not None else None
    if told is None:
        return
    g.told = told
    if told.left < 0:
        whom = "from one address" if told.name == "address" else "of one caller"
        raise TooMany(
            "requests",
            f"at most {told.limit} requests {whom} in {told.window} seconds",
            told.resets,
        )


def _end(response: Response) -> Response:
    more = [("X-Request-Id", g.request_id)]
    told: Told | None = g.get("told")
    if told is not None:
        more.append(("RateLimit-Policy", f'"{told.name}";q={told.limit};w={told.window}'))
        more.append(("RateLimit", f'"{told.name}";r={max(0, told.left)};t={told.resets}'))
    if origins := config().cors_origins:
        more += _cors(origins, request.headers.get("Origin", ""))
    location = response.headers.pop("Location", None)
    if location is not None:
        more.append(
            ("Location", location)
        )  # all our paths are ASCII; to make sure of it costs Werkzeug 2 % of a move
    request.environ[MORE] = more
    _observe(response)
    return response


def _observe(response: Response) -> None:
    took = perf_counter() - g.began
    view = current_app.view_functions.get(request.endpoint or "")
    operation: Operation | None = getattr(view, "operation", None)
    name = operation.name if operation else "other"
    tracing.name_request(name)
    metrics.REQUESTS.labels(name, response.status_code).observe(took)
    if "Idempotent-Replayed" in response.headers:
        metrics.REPEATS.inc()
    level = (
        logging.DEBUG
        if request.endpoint in _UNCOUNTED and response.status_code < 400
        else logging.INFO
    )
    if _log.isEnabledFor(level):
        _log.log(level, "request", extra=_line(response, name, took))


def _line(response: Response, operation: str, took: float) -> dict[str, Any]:
    """Return what is logged of a request: never its headers, its query or its body."""
    path = request.view_args or {}
    version, _, seat = response.headers.get("ETag", "").strip('"').partition(";")
    line: dict[str, Any] = {
        "request_id": g.request_id, "method": request.method, "operation": operation,
        "status": response.status_code, "ms": round(took * 1000, 2),
    }  # fmt: skip
    if "match" in path:
        line |= {"match": path["match"], "version": version or None, "caller": seat or None}
    return line


def _preflight() -> Response:
    headers = {
        "Access-Control-Allow-Methods": "GET, POST, DELETE",
        "Access-Control-Allow-Headers": _ALLOWED,
        "Access-Control-Max-Age": "600",
    }
    return Response(status=204, headers=headers if config().cors_origins else {})


def _cors(origins: tuple[str, ...], origin: str) -> Headers:
    """Let the pages of the configured origins read the answer; no cookie is ever used, so none is allowed."""
    if "*" not in origins and origin not in origins:
        return [("Vary", "Origin")]
    allowed = "*" if "*" in origins else origin
    return [
        ("Vary", "Origin"),
        ("Access-Control-Allow-Origin", allowed),
        ("Access-Control-Expose-Headers", _EXPOSED),
    ]
