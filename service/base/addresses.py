"""IP addresses of callers."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

_NETWORK_BITS = 64  # of an IPv6 address: a site usually has all addresses of a /64 network


@lru_cache(maxsize=4096)
def address_key(address: str) -> str:
    """Return the key of a caller's limits.

    The key is the IPv4 address, the /64 network of an IPv6 address, or any other text as it is.
    """
    parsed = parsed_address(address)
    if isinstance(parsed, IPv6Address):
        first_address = int(parsed) >> _NETWORK_BITS << _NETWORK_BITS
        return str(IPv6Network((first_address, _NETWORK_BITS)))
    return address if parsed is None else str(parsed)


def parsed_address(text: str) -> Address | None:
    """Return an address, None for other text. An IPv4-mapped IPv6 address becomes IPv4."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
