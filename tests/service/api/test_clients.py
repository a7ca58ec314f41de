"""The client's address: the peer's own, or what a proxy that is trusted says of it."""

import pytest

from service.api.http.context import state
from service.api.http.rate_limits import Proxies, address_key
from tests.service.api.conftest import Door

PROXY = "10.0.0.1"
CLIENT = "203.0.113.9"
OTHER = "198.51.100.7"

SAID: dict[str, tuple[str, str, str, str]] = {
    "nobody-is-trusted": ("", PROXY, CLIENT, PROXY),
    "the-proxy-speaks-for-a-client": (PROXY, PROXY, CLIENT, CLIENT),
    "another-peer-forges-it": (PROXY, OTHER, CLIENT, OTHER),
    "the-client-forges-the-beginning": (PROXY, PROXY, f"1.2.3.4, {OTHER}, {CLIENT}", CLIENT),
    "two-proxies": ("10.0.0.0/8", PROXY, f"1.2.3.4, {CLIENT}, 10.9.9.9", CLIENT),
    "spaces": (PROXY, PROXY, f" {CLIENT} ", CLIENT),
    "only-proxies": ("10.0.0.0/8", PROXY, "10.2.2.2, 10.3.3.3", PROXY),
    "no-address": (PROXY, PROXY, "unknown", PROXY),
    "no-address-on-the-way": ("10.0.0.0/8", PROXY, f"{CLIENT}, what, 10.3.3.3", PROXY),
    "no-address-beyond": (PROXY, PROXY, f"what, {CLIENT}", CLIENT),
    "empty-entry": (PROXY, PROXY, f"{CLIENT},", PROXY),
    "no-header": (PROXY, PROXY, "", PROXY),
    "ipv6": ("fd00::/8", "fd00::1", "2001:db8::9", "2001:db8::9"),
    "ipv4-written-as-ipv6": (PROXY, f"::ffff:{PROXY}", CLIENT, CLIENT),
    "no-peer": (PROXY, "", CLIENT, ""),
}


@pytest.mark.parametrize(("trusted", "peer", "header", "expected"), SAID.values(), ids=SAID)
def test_only_a_trusted_proxy_is_believed(
    trusted: str, peer: str, header: str, expected: str
) -> None:
    """The header is read from the right, past trusted proxies, if the peer is one of them."""
    assert Proxies(tuple(trusted.split())).client_of(peer, header) == expected


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_a_network_of_ipv6_counts_as_one_address(address: str, key: str) -> None:
    """Whoever has one address of a /64 has 2^64 of them."""
    assert address_key(address) == key


def test_many_header_lines_are_one(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some proxies add a line of their own; the last entry of the last line is the nearest."""
    door.change(proxies=Proxies(("127.0.0.1",)))
    addresses: list[str] = []

    def note() -> str:
        addresses.append(state().address)
        return ""

    monkeypatch.setitem(
        door.client.application.view_functions,
        "games.list_games",
        note,
    )
    lines = [
        ("X-Forwarded-For", "1.2.3.4"),
        ("X-Forwarded-For", CLIENT),
    ]

    door.client.get("/v1/games", headers=lines, environ_base={"REMOTE_ADDR": "127.0.0.1"})

    assert addresses == [CLIENT]
