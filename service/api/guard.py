"""What pages of other sites may do through a visitor's browser.

Nothing, unless the operator allows their origin.

A server on the loopback is within reach of every page that its user visits. A page whose name is
made to lead to the loopback (DNS rebinding) gives itself away by the host it asks for; any other
page by Sec-Fetch-Site, which browsers send and pages cannot change. What pages of allowed origins
may send and read is told as CORS demands; no cookie is ever used, so none is allowed.
"""

import re
from ipaddress import ip_address

from flask import Response

from service.api import problems
from service.api.contract.operations import CHANGING
from service.api.problems import problem
from service.api.wsgi.middleware import Environ, Headers
from service.config import Config
from service.errors import echoed

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
# A header Host: a name or an address (group 1), with or without a port.
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+?)\.?(:[0-9]*)?", re.ASCII)
_MOST_KNOWN = 64
# What browsers say of our own pages and of what a user types in.
_OWN_PAGES = frozenset({"same-origin", "none"})

_MAY_SEND = (
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, "
    "Giornale-Tokens, X-Request-Id"
)
_MAY_READ = (
    "ETag, Link, Location, Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, "
    "X-Request-Id"
)


class Guard:
    """Whom this server answers, as the configuration says."""

    def __init__(self, config: Config) -> None:
        self._hosts = _answered_hosts(config)
        self._origins = frozenset(config.cors_origins)
        # Host headers that were found to be ours; most requests bring the same.
        self._known_headers: set[str] = set()

    def answer(self, environ: Environ, *, for_any_host: bool = False) -> Response | None:
        """Return the answer to a request that gets no further, None for all others.

        It is a refusal, or the answer to a browser that asks what a page may send.
        for_any_host: the request is answered whatever host it is for.
        """
        if not for_any_host:
            refusal = self.misdirected(environ)
            if refusal is not None:
                return refusal
        if environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ORIGIN" in environ:
            return self._preflight()
        return self.cross_site(environ)

    def lets_in(self, environ: Environ) -> bool:
        """Return whether a request for a change gets further: `answer` has none for it."""
        return self._is_for_us(environ) and self._is_of_an_allowed_page(environ)

    def misdirected(self, environ: Environ) -> Response | None:
        """Return the refusal of a request for a host that is not ours, None for any other."""
        if self._is_for_us(environ):
            return None

        given = environ.get("HTTP_HOST", "")
        return problem(
            problems.MISDIRECTED,
            f"No requests for the host {echoed(ascii(given))} are answered here; see the settings.",
        )

    def cross_site(self, environ: Environ) -> Response | None:
        """Return the refusal of a change that a page of another site asks for, else None.

        Another origin of the same site counts as another site: for browsers all ports of one
        machine are one site.
        """
        if self._is_of_an_allowed_page(environ) or environ["REQUEST_METHOD"] not in CHANGING:
            return None
        return problem(
            problems.CROSS_SITE,
            "A page of an origin that is not allowed here asked for a change.",
        )

    def headers(self, environ: Environ) -> Headers:
        """Return what lets a page of an allowed origin read a request's answer."""
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

    def _is_for_us(self, environ: Environ) -> bool:
        """Return whether a request is for a host that is ours."""
        given = environ.get("HTTP_HOST", "")
        if self._hosts is None or given in self._known_headers:
            return True

        host = _HOST.fullmatch(given.lower())
        if host is None or host[1] not in self._hosts:
            return False
        if len(self._known_headers) < _MOST_KNOWN:
            self._known_headers.add(given)
        return True

    def _is_of_an_allowed_page(self, environ: Environ) -> bool:
        """Return whether a page of an allowed origin asks, one of our own, or no page at all."""
        site = environ.get("HTTP_SEC_FETCH_SITE")
        if site is None or site in _OWN_PAGES:
            return True
        return "*" in self._origins or environ.get("HTTP_ORIGIN") in self._origins

    def _preflight(self) -> Response:
        """Answer what a page may send: nothing, if no origin is allowed."""
        response = Response(status=204)
        if self._origins:
            response.headers["Access-Control-Allow-Methods"] = "GET, POST, DELETE"
            response.headers["Access-Control-Allow-Headers"] = _MAY_SEND
            response.headers["Access-Control-Max-Age"] = "600"
        return response


def _answered_hosts(config: Config) -> frozenset[str] | None:
    """Return the names of hosts for which requests are answered, None for all."""
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
