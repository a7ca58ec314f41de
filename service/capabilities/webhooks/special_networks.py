"""Networks that webhooks may not call: one list for every version of Python.

`ipaddress.is_global` differs between versions of Python, and accepts some of these networks. The
list has the entries of the IANA registries of special-purpose addresses (RFC 6890), even entries
that the internet reaches, since nobody has a receiver there. The list also has multicast, and one
address that only the virtual machines of a cloud reach. Of IPv6 only 2000::/3 is given out to the
internet (RFC 4291), so all other IPv6 addresses are refused. Together these rules refuse the forms
that hide an IPv4 address: mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96), 6to4 (2002::/16) and Teredo
(in 2001::/23).
"""

import ipaddress
from functools import cache

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# https://www.iana.org/assignments/iana-ipv4-special-registry
_SPECIAL_V4 = (
    "0.0.0.0/8",  # this network
    "10.0.0.0/8",  # private use
    "100.64.0.0/10",  # shared by carriers
    "127.0.0.0/8",  # loopback
    "169.254.0.0/16",  # link-local, and the metadata of clouds
    "172.16.0.0/12",  # private use
    "192.0.0.0/24",  # protocols of the IETF
    "192.0.2.0/24",  # documentation
    "192.31.196.0/24",  # AS112
    "192.52.193.0/24",  # AMT
    "192.88.99.0/24",  # relays of 6to4
    "192.168.0.0/16",  # private use
    "192.175.48.0/24",  # AS112
    "198.18.0.0/15",  # benchmarks
    "198.51.100.0/24",  # documentation
    "203.0.113.0/24",  # documentation
    "224.0.0.0/4",  # multicast
    "240.0.0.0/4",  # reserved, and broadcast
    "168.63.129.16/32",  # the host of a virtual machine of Azure, in no registry
)
# https://www.iana.org/assignments/iana-ipv6-special-registry, as far as it lies in 2000::/3.
_SPECIAL_V6 = (
    "2001::/23",  # protocols of the IETF: Teredo, AMT, ORCHID, drone ids
    "2001:db8::/32",  # documentation
    "2002::/16",  # 6to4
    "2620:4f:8000::/48",  # AS112
    "3fff::/20",  # documentation
)
_GIVEN_OUT_V6 = ipaddress.ip_network("2000::/3")

# Prefix lengths of one network of a receiver, by IP version.
_PREFIX_LENGTHS = {4: 24, 6: 48}


@cache
def _special_networks() -> tuple[Network, ...]:
    return tuple(map(ipaddress.ip_network, (*_SPECIAL_V4, *_SPECIAL_V6)))


def is_public(address: Address) -> bool:
    """Return True if an address belongs to the public internet, and hides no IPv4 address."""
    if address.version == 6 and address not in _GIVEN_OUT_V6:
        return False
    return not any(address in network for network in _special_networks())


def network_of(address: str) -> str:
    """Return the /24 network of an IPv4 address, or the /48 network of an IPv6 address."""
    parsed = ipaddress.ip_address(address)
    length = _PREFIX_LENGTHS[parsed.version]
    return str(ipaddress.ip_network((parsed, length), strict=False))


# ---- names -----------------------------------------------------------------------------------

# Second labels under which many countries register names, such as co.uk.
_SECOND_LEVEL = frozenset(
    (
        *("ac", "asn", "co", "com", "edu", "gob", "gouv", "gov", "govt", "gv", "id", "in", "ind"),
        *("lg", "ltd", "me", "mil", "ne", "net", "nhs", "nic", "nom", "or", "org", "plc"),
        *("police", "sch", "web"),
    )
)
_COUNTRY_LETTERS = 2


def registered_domain(host: str) -> str:
    """Return the registered part of a host name. For an address, return its network.

    The registered part is the last two labels, or three under a second level such as co.uk. All
    customers of a provider under one domain count together.
    """
    name = host.rstrip(".").lower()
    try:
        return network_of(name)
    except ValueError:
        pass
    labels = name.split(".")
    is_country = len(labels[-1]) == _COUNTRY_LETTERS
    has_second_level = is_country and len(labels) > 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3 if has_second_level else -2 :])
