"""Limits for a caller and for an address, shared by all processes, even after crashes."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from service.api.http import limits
from service.api.http.limits import (
    Allowance,
    Proxies,
    RateLimit,
    RateLimits,
    StreamLimit,
)
from service.base.addresses import address_key

pytestmark = pytest.mark.usefixtures("one_window")


@pytest.fixture
def redis(redis_url: str) -> Iterator[Redis]:
    """A client of the emptied server."""
    with Redis.from_url(redis_url) as client:
        yield client


def counts(redis: Redis) -> list[int]:
    """Return every count in Redis."""
    return [int(redis.get(key) or 0) for key in redis.scan_iter("giornale:rate:*")]


def counted(limits: RateLimits, caller: str, address: str) -> Allowance:
    """Count a request and return its allowance."""
    allowance = limits.count(caller, address)
    assert allowance is not None
    return allowance


def let_ask_together(limit: RateLimit, threads: int) -> int:
    """Let some threads count a request of one caller at once. Return the number of allowed ones."""
    together = threading.Barrier(threads)

    def ask(_number: int) -> int:
        together.wait()
        return limit.count("a").remaining

    with ThreadPoolExecutor(threads) as pool:
        remainders = list(pool.map(ask, range(threads)))
    return sum(number >= 0 for number in remainders)


def requests_allowed(limit: RateLimit) -> int:
    """Return the number of requests a caller has left."""
    allowed = 0
    while limit.count("a").remaining >= 0:
        allowed += 1
    return allowed


def test_a_lease_saves_round_trips(redis: Redis) -> None:
    """A process leases many requests of a large limit at once.

    Counts in Redis expire by themselves.
    """
    limit = RateLimit(redis, 6400)

    remainders = [limit.count("a").remaining for _ in range(3)]

    assert remainders == [6399, 6398, 6397]
    assert counts(redis) == [100]

    [key] = redis.scan_iter("giornale:rate:*")

    assert 0 < redis.ttl(key) <= limits.WINDOW


@pytest.mark.parametrize("rate", [40, 6400], ids=["small", "large"])
def test_a_killed_process_costs_a_caller_one_lease(redis: Redis, rate: int) -> None:
    """The caller loses the unused part of a killed process's lease, and no more.

    30 simultaneous first requests lease at most one lease more than they use.
    """
    killed = RateLimit(redis, rate)
    allowed_before = let_ask_together(killed, 30)
    assert allowed_before == 30

    its_successor = RateLimit(redis, rate)
    allowed_after = requests_allowed(its_successor)

    lost = rate - allowed_before - allowed_after
    assert lost <= lease_of(rate)


def lease_of(rate: int) -> int:
    """Return the number of requests in a process's lease: 1/64 of the limit, at least one."""
    return max(1, rate // 64)


def test_threads_together_get_the_limit_exactly(redis: Redis) -> None:
    """Of 200 requests by the threads of two processes, exactly the limit is allowed."""
    processes = [RateLimit(redis, 40), RateLimit(redis, 40)]

    def ask(number: int) -> int:
        return processes[number % 2].count("a").remaining

    with ThreadPoolExecutor(16) as threads:
        remainders = list(threads.map(ask, range(200)))

    assert sum(number >= 0 for number in remainders) == 40


def test_nobody_is_limited_while_redis_is_away(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit must not break the service, nor let requests wait for an absent Redis."""
    monkeypatch.setattr(limits, "_RETRY_SECONDS", 1000)
    limit = RateLimit(Redis.from_url("redis://127.0.0.1:1"), 6)

    remainders = [limit.count("a").remaining for _ in range(20)]

    assert min(remainders) >= 0
    assert caplog.text.count("requests were not counted") == 1


def test_many_addresses_take_bounded_memory(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood of addresses fills neither the process nor Redis.

    The last address is still limited.
    """
    monkeypatch.setattr(limits, "_MOST_LEASES", 50)
    monkeypatch.setattr(limits, "_MOST_COUNTS", 200)
    limit = RateLimit(redis, 2)

    for number in range(1000):
        first = limit.count(f"address:{number}")
        assert first.remaining == 1

    assert len(limit._leases) == 50
    assert len(counts(redis)) == 200

    last_address = [limit.count("address:999").remaining for _ in range(2)]
    assert last_address == [0, -1]


@pytest.mark.parametrize(
    ("seconds", "requests"), [(0.009, 1), (0.01, 2), (0.077, 8), (0.1, 11), (60.0, 11)]
)
def test_processor_time_counts_as_requests(redis: Redis, seconds: float, requests: int) -> None:
    """10 ms of processor time count as a request of caller and address, up to 1/64 of the limit."""
    limits = RateLimits(redis, 640, 640)
    assert counted(limits, "token", "address").remaining == 639

    limits.charge("token", "address", seconds)

    assert counted(limits, "token", "elsewhere").remaining == 639 - requests
    assert counted(limits, "another", "address").remaining == 639 - requests


def test_a_callers_debt_is_leased_first(redis: Redis) -> None:
    """A caller with only long requests gets an eleventh of the limit, over all processes."""
    processes = [RateLimits(redis, 640, 0), RateLimits(redis, 640, 0)]
    allowed = 0
    for process in processes:
        while counted(process, "token", "address").remaining >= 0:
            process.charge("token", "address", 0.1)
            allowed += 1

    assert 640 // 11 <= allowed <= 640 // 11 + 2


def test_an_address_has_one_limit_for_all_its_tokens(redis: Redis) -> None:
    """Ten tokens of one address, four requests each, share the address's limit.

    If the address has nothing left, its tokens have their whole limit at another address.
    """
    limits = RateLimits(redis, 4, 10)

    allowances = []
    for number in range(10):
        for _request in range(4):
            allowance = counted(limits, f"token:{number}", "home")
            allowances.append(allowance)

    allowed = [allowance for allowance in allowances if allowance.remaining >= 0]
    assert len(allowed) == 10
    assert allowances[-1].name == "address"
    assert allowances[-1].limit == 10

    for _request in range(4):
        refused = counted(limits, "another token", "home")
        assert refused.remaining < 0

    elsewhere = counted(limits, "another token", "elsewhere")
    assert elsewhere.name == "caller"
    assert elsewhere.remaining == 3


def test_the_tighter_limit_is_told(redis: Redis) -> None:
    """Each answer shows the limit that will be met first. Each limit can be switched off."""
    limits = RateLimits(redis, 4, 6)

    for caller in ("a", "b"):
        for remaining in (3, 2):
            allowance = counted(limits, caller, "home")
            assert allowance.name == "caller"
            assert allowance.remaining == remaining

    third_caller = counted(limits, "c", "home")
    assert third_caller.name == "address"
    assert third_caller.remaining == 1

    without_both = RateLimits(redis, 0, 0)
    by_address = RateLimits(redis, 0, 5)
    by_caller = RateLimits(redis, 5, 0)

    assert without_both.count("a", "home") is None
    assert counted(by_address, "a", "home").name == "address"
    assert counted(by_caller, "a", "home").name == "caller"


@pytest.mark.parametrize(
    ("most", "each", "one"), [(512, 2000, 384), (512, 256, 256), (4, 4, 3), (2, 2, 1), (1, 1, 1)]
)
def test_one_address_never_takes_every_slot(most: int, each: int, one: int) -> None:
    """One address leaves at least a quarter of the streams to others, if there are two or more."""
    limit = StreamLimit(most, each)

    slots = [limit.take(f"token:{number}", "home") for number in range(most)]

    assert sum(slot is not None for slot in slots) == one


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
    """If the peer is a trusted proxy, the header is read from the right, past trusted proxies."""
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
    """Addresses of one /64 count together, because the holder of one has all 2^64."""
    assert address_key(address) == key
