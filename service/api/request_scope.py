"""Request scope: the steps of each admitted request around the application.

Before: the request gets an id and a state. Its host, and the page that sends it, are checked. The
request is counted unless it is quiet. A refused request goes no further. After: the answer gets the
common headers, and the access log gets a line.
"""

import random
import re
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from time import perf_counter, thread_time

from service.api import links, problems
from service.api.access_log import Answered
from service.api.contract.operations import CHANGING
from service.api.http.context import AppServices, RequestState, client_address, shown_token
from service.api.http.limits import Sender
from service.api.problems import sentence
from service.api.wsgi import (
    NOTHING_LOADS,
    SECURITY_HEADERS,
    App,
    Environ,
    Headers,
    Refusal,
    StartResponse,
)
from service.base.config import Config
from service.base.errors import echoed
from service.base.release import release
from service.record.commit import MATCH_ID

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
# An id only has to be unique. Reading secret bytes from the system would let another thread run
# first, and a short request would take 5 % longer.
_ID_BITS = 64

_MATCH = re.compile(f"(?:/v1)?/matches/({MATCH_ID})(?:/|$)")

# Quiet requests are not counted. They are logged only at the level DEBUG, unless they fail.
# Monitors repeat the probes, and each page loads static files.
_PROBES = frozenset({"/livez", "/readyz", "/metrics"})
_ICON = "/favicon.ico"
_FILES = "/static/"
_READING = frozenset({"GET", "HEAD"})
# Paths that are answered for any host: monitors may know the service only by its address.
_FOR_ANY_HOST = frozenset({"/livez", "/readyz"})

_NOWHERE = "/outside-the-prefix"  # no route leads there, so the answer is the usual 404


class RequestScope:
    """A WSGI application around another: state, checks, headers and log lines of requests."""

    def __init__(self, inner: App, services: AppServices) -> None:
        self.inner = inner
        self._prefix = services.config.path_prefix
        self._guard = Guard(services.config)
        self._proxies = services.proxies
        self._limits = services.rate_limits
        self._holders = services.ctx.cache.holders
        self._log = services.access_log
        self._release = release()

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        began = perf_counter()
        if self._prefix:
            _strip(self._prefix, environ)
        state = RequestState(
            request_id=_request_id(environ),
            began=began,
            token=shown_token(environ.get("HTTP_AUTHORIZATION", "")),
            address=client_address(environ, self._proxies),
        )
        state.attach(environ)
        is_quiet = _is_quiet(environ)

        def start(status: str, headers: Headers, *error: object) -> object:
            by_name = {name.lower(): value for name, value in headers}
            self._log.write(_answered(environ, state, status, by_name, is_quiet))

            all_headers = self._all_headers(environ, state, headers, by_name)
            return start_response(status, all_headers, *error)

        refusal = self._guard.refusal(environ)
        is_preflight = environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ORIGIN" in environ
        if refusal is None and is_preflight:
            start("204 NO CONTENT", self._guard.preflight())
            return []

        sender = state.sender(self._holders)
        if refusal is None and not is_quiet:
            refusal = self._count(state, sender, environ)
        if refusal is not None:
            return refusal.send(environ, start)
        worked_before = thread_time()
        try:
            return self.inner(environ, start)
        finally:
            if not is_quiet:
                self._limits.charge(*sender, thread_time() - worked_before)

    def _count(self, state: RequestState, sender: Sender, environ: Environ) -> Refusal | None:
        """Count a request. Return a refusal if the request is one too many."""
        state.allowance = self._limits.count(*sender)
        if state.allowance is None or state.allowance.remaining >= 0:
            return None
        if environ["PATH_INFO"] == links.MCP and environ["REQUEST_METHOD"] == "POST":
            # Status 429 would end the session of older clients, so the route refuses the request.
            return None
        error = state.allowance.refusal()
        return Refusal.of(self._prefix, problems.RATE_LIMITED, sentence(error), error.after)

    def _all_headers(
        self, environ: Environ, state: RequestState, headers: Headers, by_name: Mapping[str, str]
    ) -> Headers:
        """Return an answer's own headers with the common headers.

        by_name: the answer's own headers, by name in small letters.
        """
        limits = state.allowance.headers() if state.allowance else ()
        policy = () if "content-security-policy" in by_name else (NOTHING_LOADS,)
        return [
            *headers,
            ("X-Request-Id", state.request_id),
            ("Giornale-Version", self._release),
            *limits,
            *self._guard.headers(environ),
            *SECURITY_HEADERS,
            *policy,
        ]


def _strip(prefix: str, environ: Environ) -> None:
    """Remove the prefix from a request's path. Probes may come without the prefix.

    Werkzeug's DispatcherMiddleware does this, too, but takes time that grows with the square of the
    slashes.
    """
    path = environ.get("PATH_INFO", "")
    if path == prefix or path.startswith(f"{prefix}/"):
        environ["SCRIPT_NAME"] = prefix
        environ["PATH_INFO"] = path.removeprefix(prefix) or "/"
    elif path not in _PROBES:
        environ["PATH_INFO"] = _NOWHERE


def _request_id(environ: Environ) -> str:
    """Return the caller's id of a request if it is valid, else a random one."""
    own_id = environ.get("HTTP_X_REQUEST_ID", "")
    if own_id and _REQUEST_ID.fullmatch(own_id):
        return str(own_id)
    return f"{random.getrandbits(_ID_BITS):0{_ID_BITS // 4}x}"


def _is_quiet(environ: Environ) -> bool:
    path = environ["PATH_INFO"]
    is_one = path in _PROBES or path == _ICON or path.startswith(_FILES)
    return is_one and environ["REQUEST_METHOD"] in _READING


def _answered(
    environ: Environ, state: RequestState, status: str, headers: Mapping[str, str], is_quiet: bool
) -> Answered:
    """Return the access log's data of an answer. headers: by name in small letters."""
    in_path = _MATCH.match(environ["PATH_INFO"])
    return Answered(
        request_id=state.request_id,
        seconds=perf_counter() - state.began,
        operation=state.operation,
        method=environ["REQUEST_METHOD"],
        status=state.problem_status or int(status[:3]),
        match=in_path[1] if in_path else state.match,
        etag=headers.get("etag", ""),
        repeated="idempotent-replayed" in headers,
        quiet=is_quiet,
    )


# ---- hosts of this service, and pages that may send -----------------------------------------

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
# A header Host: a name or an address (group 1), with or without a port.
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+?)\.?(:[0-9]*)?", re.ASCII)
_MOST_KNOWN = 64
# Sec-Fetch-Site of our own pages, and of addresses typed in by a user.
_NO_PAGE = "none"
_OWN_PAGES = frozenset({"same-origin", _NO_PAGE})

_MAY_SEND = (
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, "
    "Giornale-Signature, Giornale-Tokens, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Prefer, "
    "X-Request-Id"
)
_MAY_READ = (
    "Accept-Encoding, Accept-Post, Content-Disposition, ETag, Link, Location, Giornale-Missing, "
    "Giornale-Version, Idempotent-Replayed, Preference-Applied, RateLimit, RateLimit-Policy, "
    "Retry-After, WWW-Authenticate, X-Request-Id"
)


class Guard:
    """Protection from pages of other sites in a visitor's browser.

    A page of another site may change nothing, unless its origin is allowed. A server on the
    loopback is within reach of every page that its user visits. Some pages have a host name that is
    made to lead to the loopback (DNS rebinding): the header Host reveals such a page. The browser's
    header Sec-Fetch-Site reveals all other pages, since a page cannot change it. The headers of
    CORS tell pages of allowed origins their rights to send and read. They allow no cookies, since
    the service uses none.
    """

    def __init__(self, config: Config) -> None:
        self._prefix = config.path_prefix
        self._hosts = _answered_hosts(config)
        self._origins = frozenset(config.cors_origins)
        # Accepted values of the header Host, since most requests have the same value.
        self._known_headers: set[str] = set()

    def refusal(self, environ: Environ) -> Refusal | None:
        """Return a refusal because of the request's host or page, None if the request passes."""
        if not self.answers_host(environ.get("HTTP_HOST", "")) and not _is_for_any_host(environ):
            host = echoed(ascii(environ.get("HTTP_HOST", "")))
            detail = f"This server does not serve the host {host}. See the settings."
            return Refusal.of(self._prefix, problems.MISDIRECTED, detail)

        # Another origin of the same site counts as another site: for browsers all ports of one
        # machine are one site.
        site = environ.get("HTTP_SEC_FETCH_SITE", _NO_PAGE)
        is_foreign = site not in _OWN_PAGES
        # The protocol of agents also demands a check of the header Origin.
        if environ["PATH_INFO"] == links.MCP:
            is_foreign = is_foreign or _has_another_origin(environ)
        if is_foreign and not self._allows(environ) and environ["REQUEST_METHOD"] in CHANGING:
            detail = (
                "A page of another origin asked for a change. This server does not allow that "
                "origin."
            )
            return Refusal.of(self._prefix, problems.CROSS_SITE, detail)
        return None

    def answers_host(self, header: str) -> bool:
        """Return True if a header Host names a host of ours."""
        if self._hosts is None or header in self._known_headers:
            return True

        host = _HOST.fullmatch(header.lower())
        if host is None or host[1] not in self._hosts:
            return False
        if len(self._known_headers) < _MOST_KNOWN:
            self._known_headers.add(header)
        return True

    def preflight(self) -> Headers:
        """Return the headers that let a page send a request, [] without allowed origins.

        A browser asks for these headers before it sends a page's request to another origin (CORS).
        """
        if not self._origins:
            return []
        return [
            ("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE"),
            ("Access-Control-Allow-Headers", _MAY_SEND),
            ("Access-Control-Max-Age", "600"),
        ]

    def headers(self, environ: Environ) -> Headers:
        """Return the headers that let a page of an allowed origin read a request's answer."""
        if not self._origins:
            return []

        vary = ("Vary", "Origin")
        for_all = "*" in self._origins
        origin = environ.get("HTTP_ORIGIN", "")
        if not for_all and origin not in self._origins:
            return [vary]
        return [
            vary,
            ("Access-Control-Allow-Origin", "*" if for_all else origin),
            ("Access-Control-Expose-Headers", _MAY_READ),
        ]

    def _allows(self, environ: Environ) -> bool:
        """Return True for a request from a page of an allowed origin."""
        return "*" in self._origins or environ.get("HTTP_ORIGIN") in self._origins


def _has_another_origin(environ: Environ) -> bool:
    """Return True for a request from a page of another origin. Programs name no origin."""
    if "HTTP_ORIGIN" not in environ:
        return False
    _, _, host = environ["HTTP_ORIGIN"].lower().partition("://")
    return not host or host != environ.get("HTTP_HOST", "").lower()


def _is_for_any_host(environ: Environ) -> bool:
    return environ["PATH_INFO"] in _FOR_ANY_HOST and environ["REQUEST_METHOD"] in _READING


def _answered_hosts(config: Config) -> frozenset[str] | None:
    """Return the names of hosts that are served, None for any host."""
    if config.allowed_hosts:
        return None if "*" in config.allowed_hosts else frozenset(config.allowed_hosts)
    if not _is_loopback(config.host):
        return None

    own_name = f"[{config.host}]" if ":" in config.host else config.host.lower()
    return _LOOPBACK | {own_name}


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
