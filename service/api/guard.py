"""What pages of other sites may do through a visitor's browser: nothing, unless their origin is allowed.

A server on the loopback is within reach of every page that its user visits. A page whose name is made to lead to the
loopback (DNS rebinding) gives itself away by the host it asks for; any other page by Sec-Fetch-Site, which browsers
send and pages cannot change.
"""

import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from flask import Response

from service.api.contract.operations import CHANGING
from service.api.problems import kinds
from service.api.problems.mapping import problem
from service.config import Config
from service.errors import echoed

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+?)\.?(:[0-9]*)?", re.ASCII)
_MOST_SEEN = 64
_OWN_PAGES = frozenset(
    {"same-origin", "none"}
)  # what browsers say of our own pages and of what a user types in


class Guard:
    """Whom this server answers, as the configuration says."""

    def __init__(self, config: Config) -> None:
        self._hosts = _allowed(config)
        self._seen: set[str] = set()  # Host headers that are ours, for most requests bring the same
        self._origins = frozenset(config.cors_origins)

    def misdirected(self, environ: Mapping[str, Any]) -> Response | None:
        """Return the refusal of a request (its WSGI environment) for a host that is not ours, None for any other."""
        if self._hosts is None:
            return None
        given = environ.get("HTTP_HOST", "")
        if given in self._seen:
            return None
        found = _HOST.fullmatch(given.lower())
        if found is not None and found[1] in self._hosts:
            if len(self._seen) < _MOST_SEEN:
                self._seen.add(given)
            return None
        return problem(
            kinds.MISDIRECTED,
            f"No requests for the host {echoed(ascii(given))} are answered here; see the settings.",
        )

    def cross_site(self, environ: Mapping[str, Any]) -> Response | None:
        """Return the refusal of a change that a page of another site asks for, None for anything else.

        Of the same site, but another origin, counts as another: for browsers all ports of one machine are one site.
        """
        site = environ.get("HTTP_SEC_FETCH_SITE")
        if site is None or site in _OWN_PAGES or environ["REQUEST_METHOD"] not in CHANGING:
            return None
        if "*" in self._origins or environ.get("HTTP_ORIGIN") in self._origins:
            return None
        return problem(
            kinds.CROSS_SITE, "A page of an origin that is not allowed here asked for a change."
        )


def _allowed(config: Config) -> frozenset[str] | None:
    """Return the names of hosts for which requests are answered, None for all."""
    if config.allowed_hosts:
        return None if "*" in config.allowed_hosts else frozenset(config.allowed_hosts)
    if not _is_loopback(config.host):
        return None
    return _LOOPBACK | {f"[{config.host}]" if ":" in config.host else config.host.lower()}


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
