"""How much one caller and one address may take, over all processes and whatever dies."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from service.api.http import rate_limits
from service.api.http.rate_limits import Allowance, RateLimit, RateLimits
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


def counted(limits: RateLimits, caller: str, address: str) -> Allowance:
    """Count a request; return what is told of it."""
    allowance = limits.count(caller, address)
    assert allowance is not None
    return allowance


def test_callers_are_counted_over_all_processes(redis: Redis) -> None:
    """Two processes with one Redis let a caller through as often as one would, and others too."""
    first = RateLimit(redis, 6)
    second = RateLimit(redis, 6)

    in_turn = (first, second, first, second, first, second, first)
    left = [limit.count("a").left for limit in in_turn]

    assert left == [5, 4, 3, 2, 1, 0, -1]
    assert second.count("a").left == -1
    assert second.count("b").left == 5


def test_a_lease_saves_round_trips(redis: Redis) -> None:
    """Of a large limit a process takes many requests at once."""
    limit = RateLimit(redis, 6400)

    left = [limit.count("a").left for _ in range(3)]

    assert left == [6399, 6398, 6397]
    assert counts(redis) == [100]


@pytest.mark.parametrize("rate", [40, 6400], ids=["small", "large"])
def test_a_killed_process_costs_a_caller_one_lease(redis: Redis, rate: int) -> None:
    """30 first requests at the same time take no more of Redis than they need.

    A killed process is one that never comes back: the caller loses what it has leased and not used,
    1/64 of the limit at most.
    """
    killed = RateLimit(redis, rate)
    one_lease = max(1, rate // 64)
    together = threading.Barrier(30)

    def ask(_number: int) -> int:
        together.wait()
        return killed.count("a").left

    with ThreadPoolExecutor(30) as threads:
        allowed = [left for left in threads.map(ask, range(30)) if left >= 0]
    assert len(allowed) == 30
    [leased] = counts(redis)
    assert leased - len(allowed) <= one_lease

    after = RateLimit(redis, rate)
    allowed_after = 0
    while after.count("a").left >= 0:
        allowed_after += 1
    assert rate - len(allowed) - allowed_after <= one_lease


def test_threads_together_get_the_limit_exactly(redis: Redis) -> None:
    """However many threads of two processes ask at once, just the limit gets through."""
    processes = [RateLimit(redis, 40), RateLimit(redis, 40)]

    def ask(number: int) -> int:
        return processes[number % 2].count("a").left

    with ThreadPoolExecutor(16) as threads:
        left = list(threads.map(ask, range(200)))

    assert sum(number >= 0 for number in left) == 40


def test_nobody_is_limited_while_redis_is_away(caplog: pytest.LogCaptureFixture) -> None:
    """The limit must not be what breaks, nor keep requests waiting for a Redis that is away."""
    limit = RateLimit(Redis.from_url("redis://127.0.0.1:1"), 6)

    left = [limit.count("a").left for _ in range(20)]

    assert min(left) >= 0
    assert caplog.text.count("requests are not counted") == 1


def test_many_addresses_take_bounded_memory(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood of addresses fills neither the process nor Redis; the last are still limited."""
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
    """Ten tokens of one address get what the address may take; others are untouched."""
    limits = RateLimits(redis, 4, 10)

    told = [
        counted(limits, f"token:{number}", "home") for number in range(10) for _request in range(4)
    ]

    assert sum(allowance.left >= 0 for allowance in told) == 10
    assert told[-1].name == "address"
    assert told[-1].limit == 10
    assert counted(limits, "token:9", "elsewhere").left == 3


def test_the_tighter_limit_is_told(redis: Redis) -> None:
    """Each answer tells of the limit that will be met first."""
    limits = RateLimits(redis, 4, 6)

    for caller in ("a", "b"):
        for left in (3, 2):
            allowance = counted(limits, caller, "home")
            assert allowance.name == "caller"
            assert allowance.left == left

    third = counted(limits, "c", "home")
    assert third.name == "address"
    assert third.left == 1


def test_a_limit_of_zero_is_none(redis: Redis) -> None:
    """Either limit can be switched off, and both."""
    assert RateLimits(redis, 0, 0).count("a", "home") is None
    assert counted(RateLimits(redis, 0, 5), "a", "home").name == "address"
    assert counted(RateLimits(redis, 5, 0), "a", "home").name == "caller"


def test_long_answers_count_for_caller_and_address() -> None:
    """Tokens of one address take what the address may; a caller without a token counts once."""
    slots = Slots(most=10, each=3)
    first = slots.must_take("token:0", "home")
    slots.must_take("token:1", "home")
    slots.must_take("token:2", "home")
    assert slots.take("token:3", "home") is None
    assert slots.take("away", "away") is not None
    assert slots.take("token:0", "away") is not None

    first.give_back()
    first.give_back()

    assert slots.take("token:9", "home") is not None
    assert slots.take("token:9", "home") is None


@pytest.mark.parametrize(
    ("most", "each", "one"), [(512, 2000, 384), (512, 256, 256), (4, 4, 3), (2, 2, 1), (1, 1, 1)]
)
def test_one_address_never_takes_every_slot(most: int, each: int, one: int) -> None:
    """Whatever the settings say, a quarter stays for others where there are two slots or more."""
    slots = Slots(most, each)

    taken = [slots.take(f"token:{number}", "home") for number in range(most)]

    assert sum(slot is not None for slot in taken) == one
