"""Where a request comes from: the client's address, also behind proxies that are trusted."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from flask import current_app, request

from service.api.http.visits import visit_of

Address = IPv4Address | IPv6Address

# Of an IPv6 address; whoever has one address of such a network has them all.
_NETWORK_BITS = 64


class Proxies:
    """The proxies that are trusted to say whom they speak for.

    Libraries that read X-Forwarded-For either count hops, and so believe whoever comes past the
    proxy, or take a malformed entry for an address.
    """

    def __init__(self, networks: tuple[str, ...]) -> None:
        self._networks: tuple[IPv4Network | IPv6Network, ...] = tuple(map(ip_network, networks))

    def client_of(self, peer: str, forwarded_for: str) -> str:
        """Return the client's address: the last in X-Forwarded-For that is no trusted proxy's.

        It is the peer's own address if the peer is not trusted, if the header names nobody else,
        or if an entry on the way is no address.
        """
        if not self._networks or not forwarded_for or not self.trusts(peer):
            return peer

        for entry in reversed(forwarded_for.split(",")):
            address = _parsed(entry.strip())
            if address is None:
                return peer
            if not self.trusts(str(address)):
                return str(address)
        return peer

    def trusts(self, text: str) -> bool:
        """Return whether an address is a trusted proxy's."""
        address = _parsed(text)
        return address is not None and any(address in network for network in self._networks)


def client_address() -> str:
    """Return the address of the client that sent this request; "" if the server knows none."""
    return address_of(request.environ, current_app.extensions["proxies"])


def address_of(environ: dict[str, Any], proxies: Proxies) -> str:
    """Return the address of the client that sent a request; "" if the server knows none."""
    visit = visit_of(environ)
    if visit.address is None:
        peer = environ.get("REMOTE_ADDR", "")
        forwarded_for = environ.get("HTTP_X_FORWARDED_FOR", "")
        visit.address = proxies.client_of(peer, forwarded_for)
    return visit.address


@lru_cache(maxsize=4096)
def address_key(address: str) -> str:
    """Return what counts as one address: an IPv4 address, or the /64 network of an IPv6 address."""
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        first_address = int(parsed) >> _NETWORK_BITS << _NETWORK_BITS
        return str(IPv6Network((first_address, _NETWORK_BITS)))
    return address if parsed is None else str(parsed)


def _parsed(text: str) -> Address | None:
    """Return an address, None for what is none; IPv4 also where it is written as IPv6."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
