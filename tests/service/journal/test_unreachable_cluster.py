"""A cluster that cannot be reached is waited for once, however many threads ask for it."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from redis.exceptions import ConnectionError as Unreachable

from service.journal.redis import servers as module
from service.journal.redis.servers import Cluster
from service.redis_urls import read_many
from tests.running import until

THREADS = 6


def test_threads_do_not_try_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """All who came while the first one tried are answered with it; whoever comes later tries."""
    moments = count(1)
    looks: list[int] = []  # at the clock: each thread begins with one
    tries: list[int] = []

    def monotonic() -> float:
        looks.append(next(moments))
        return looks[-1]

    def fail_when_all_wait(_cluster: Cluster) -> Any:
        tries.append(len(tries))
        until(lambda: len(looks) >= THREADS, "all threads to ask")
        raise Unreachable("nobody is there")

    monkeypatch.setattr(module, "monotonic", monotonic, raising=False)
    monkeypatch.setattr(Cluster, "_connect", fail_when_all_wait)
    cluster = Cluster(read_many("redis+cluster://127.0.0.1:7000"))

    def error(_number: int) -> str:
        with pytest.raises(Unreachable) as raised:
            _ = cluster.client
        return str(raised.value)

    with ThreadPoolExecutor(THREADS) as threads:
        errors = list(threads.map(error, range(THREADS)))
    assert len(tries) == 1
    assert errors.count("nobody is there") == 1

    error(0)
    assert len(tries) == 2
