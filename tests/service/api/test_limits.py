"""How much one caller and one address may take, over all processes and whatever dies."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from service.api.http import rate_limits
from service.api.http.rate_limits import RateLimit, RateLimits
from service.api.http.slots import Slots

NOON = 1_772_366_400


@pytest.fixture(autouse=True)
def _one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """No window ends in the middle of a test."""
    monkeypatch.setattr("time.time", lambda: NOON)


@pytest.fixture
def redis(redis_url: str) -> Iterator[Redis]:
    """A client of the emptied server."""
    with Redis.from_url(redis_url) as client:
        yield client


def counts(redis: Redis) -> list[int]:
    """Return every count that Redis keeps."""
    return [int(redis.get(key) or 0) for key in redis.scan_iter("giornale:rate:*")]


def test_callers_are_counted_over_all_processes(redis: Redis) -> None:
    """Two processes with one Redis let a caller through as often as one would; others are not touched."""
    first = RateLimit(redis, 6)
    second = RateLimit(redis, 6)
    left = [limit.count("a").left for limit in (first, second, first, second, first, second, first)]
    assert left == [5, 4, 3, 2, 1, 0, -1]
    assert second.count("a").left == -1
    assert second.count("b").left == 5


def test_a_lease_saves_round_trips(redis: Redis) -> None:
    """Of a large limit a process takes many requests at once."""
    limit = RateLimit(redis, 6400)
    assert [limit.count("a").left for _ in range(3)] == [6399, 6398, 6397]
    assert counts(redis) == [100]


@pytest.mark.parametrize("rate", [40, 6400], ids=["small", "large"])
def test_a_killed_process_costs_a_caller_one_lease(redis: Redis, rate: int) -> None:
    """100 first requests at the same time take no more of Redis than they need: 1/64 of the limit at most is lost.

    A killed process is one that never comes back: what it has leased and not used is what the caller loses.
    """
    killed = RateLimit(redis, rate)
    together = threading.Barrier(30)

    def ask(_number: int) -> int:
        together.wait()
        return killed.count("a").left

    with ThreadPoolExecutor(30) as threads:
        allowed = [left for left in threads.map(ask, range(30)) if left >= 0]
    assert len(allowed) == 30
    [leased] = counts(redis)
    assert leased - len(allowed) <= max(1, rate // 64)

    after = RateLimit(redis, rate)
    again = 0
    while after.count("a").left >= 0:
        again += 1
    assert rate - len(allowed) - again <= max(1, rate // 64)


def test_threads_together_get_the_limit_exactly(redis: Redis) -> None:
    """However many threads of two processes ask at once, the limit is what gets through, no more and no less."""
    processes = [RateLimit(redis, 40) for _ in range(2)]
    with ThreadPoolExecutor(16) as threads:
        told = list(threads.map(lambda number: processes[number % 2].count("a").left, range(200)))
    assert sum(left >= 0 for left in told) == 40


def test_nobody_is_limited_while_redis_is_away(caplog: pytest.LogCaptureFixture) -> None:
    """The limit protects; it must not be what breaks, nor keep every request waiting for a Redis that is away."""
    limit = RateLimit(Redis.from_url("redis://127.0.0.1:1"), 6)
    assert all(limit.count("a").left >= 0 for _ in range(20))
    assert caplog.text.count("requests are not counted") == 1


def test_many_addresses_take_bounded_memory(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood of addresses fills neither the process nor Redis, and the last of them are still limited."""
    monkeypatch.setattr(rate_limits, "_MOST_LEASES", 50)
    monkeypatch.setattr(rate_limits, "_MOST_COUNTS", 200)
    limit = RateLimit(redis, 2)
    for number in range(1000):
        assert limit.count(f"address:{number}").left == 1
    assert len(limit._leases) == 50
    assert len(counts(redis)) == 200
    assert [limit.count("address:999").left for _ in range(2)] == [0, -1]


def test_no_count_outlives_its_window(redis: Redis) -> None:
    """What Redis keeps of a caller goes away by itself."""
    RateLimit(redis, 6).count("a")
    [key] = redis.scan_iter("giornale:rate:*")
    assert 0 < redis.ttl(key) <= rate_limits.WINDOW


def test_an_address_has_one_limit_for_all_its_tokens(redis: Redis) -> None:
    """Ten tokens of one address get what the address may take, not ten times what a token may; others are untouched."""
    both = RateLimits(redis, 4, 10)
    told = [both.count(f"token:{number}", "home") for number in range(10) for _ in range(4)]
    assert sum(one is not None and one.left >= 0 for one in told) == 10
    refused = told[-1]
    assert refused is not None
    assert (refused.name, refused.limit) == ("address", 10)
    elsewhere = both.count("token:9", "elsewhere")
    assert elsewhere is not None
    assert elsewhere.left == 3


def test_the_tighter_limit_is_told(redis: Redis) -> None:
    """Each answer tells of the limit that will be met first."""
    both = RateLimits(redis, 4, 6)
    told = [both.count(caller, "home") for caller in ("a", "a", "b", "b")]
    assert [(one.name, one.left) for one in told if one] == [
        ("caller", 3), ("caller", 2), ("caller", 3), ("caller", 2),
    ]  # fmt: skip
    third = both.count("c", "home")
    assert third is not None
    assert (third.name, third.left) == ("address", 1)


def test_a_limit_of_zero_is_none(redis: Redis) -> None:
    """Either limit can be switched off, and both."""
    assert RateLimits(redis, 0, 0).count("a", "home") is None
    by_address = RateLimits(redis, 0, 5).count("a", "home")
    by_caller = RateLimits(redis, 5, 0).count("a", "home")
    assert by_address is not None
    assert by_caller is not None
    assert (by_address.name, by_caller.name) == ("address", "caller")


def test_long_answers_count_for_caller_and_address() -> None:
    """Many tokens of one address take what one address may; a caller without a token counts once."""
    slots = Slots(most=10, each=3)
    releases = [slots.take(f"token:{number}", "home") for number in range(4)]
    assert [release is not None for release in releases] == [True, True, True, False]
    assert slots.take("away", "away") is not None
    assert slots.take("token:0", "away") is not None

    assert releases[0] is not None
    releases[0].give_back()
    releases[0].give_back()
    assert slots.take("token:9", "home") is not None
    assert slots.take("token:9", "home") is None


@pytest.mark.parametrize(
    ("most", "each", "one"), [(512, 2000, 384), (512, 256, 256), (4, 4, 3), (2, 2, 1), (1, 1, 1)]
)
def test_one_address_never_takes_every_slot(most: int, each: int, one: int) -> None:
    """Whatever the settings say, a quarter stays for others wherever there are two slots at least."""
    slots = Slots(most, each)
    taken = [slots.take(f"token:{number}", "home") for number in range(most)]
    assert sum(release is not None for release in taken) == one
