"""A worker process outlives times in which Redis is away or refuses writes, and says little."""

import logging
import os
import signal
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from redis import Redis

from service.jobs.queues import SCORING, Queues
from service.matches import automation
from service.process.heartbeat import ActiveClock
from service.process.valkey import Server
from tests.running import until
from workers import process
from workers.process import StopOrder
from workers.scheduler import GONE_SECONDS, LostJobs
from workers.worker import work_on

NOTHING_LISTENS = "redis://127.0.0.1:1/0"
MATCHES = ["m" * 26, "n" * 26]
HANDLED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)


@pytest.fixture
def stop() -> Iterator[StopOrder]:
    """What remembers the signals of this process; their handlers are put back afterwards."""
    handlers = {number: signal.getsignal(number) for number in HANDLED_SIGNALS}
    order = StopOrder()
    order.listen()
    yield order
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def server_url(tmp_path: Path) -> Iterator[str]:
    """The URL of a server that a test may spoil."""
    with Server(tmp_path) as server:
        yield server.url


def refuse_writes(url: str, refuse: bool) -> None:
    """Have a server refuse writes, as the bundled one does when its disk is full, or take them."""
    with Redis.from_url(url) as client:
        client.config_set("min-replicas-to-write", int(refuse))


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged by the worker itself from `info` on."""
    return [line.getMessage() for line in caplog.records if line.name.startswith("workers")]


def end_this_process() -> None:
    """Send what a supervisor sends."""
    os.kill(os.getpid(), signal.SIGTERM)


def begun(queues: Queues) -> int:
    """Return how many jobs stand there as begun."""
    return queues.redis.zcard(queues.queues[SCORING].started_job_registry.key)


def test_worker_without_redis_waits_until_it_is_told_to_end(
    stop: StopOrder, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, no traceback, and SIGTERM does not wait for the end of a pause."""
    monkeypatch.setattr(process, "_FIRST_PAUSE_SECONDS", 1000)
    monkeypatch.setattr(process, "_LONGEST_PAUSE_SECONDS", 1000)

    def end_when_it_waits() -> None:
        until(lambda: told(caplog), "the line")
        end_this_process()

    ender = threading.Thread(target=end_when_it_waits)
    ender.start()
    with caplog.at_level(logging.INFO):
        work_on(SCORING, Queues(NOTHING_LISTENS, b"s" * 32), stop)
    ender.join()

    assert told(caplog) == ["the worker waits for Redis"]


def test_worker_outlives_a_time_without_writes(
    server_url: str,
    stop: StopOrder,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Refused at its start, and then in the middle of a job: both times it goes on afterwards.

    The scheduler finds the job that the first worker could not end, and blames nobody for it.
    """
    done: list[str] = []
    blamed: list[str] = []
    left: list[int] = []

    def act(_ctx: object, match: str) -> None:
        done.append(match)
        if len(done) == 1:
            refuse_writes(server_url, True)

    def waits(times: int) -> bool:
        return told(caplog).count("the worker waits for Redis") == times

    def take_writes_again() -> None:
        for count in (1, 2):
            until(partial(waits, count), "the worker to wait")
            refuse_writes(server_url, False)
        until(lambda: len(done) == len(MATCHES), "the second job")
        until(lambda: begun(queues) == 1, "the end of the second job")
        clock = ActiveClock()
        scheduler = LostJobs(queues, clock)
        blamed.extend(scheduler.forget())
        clock.seconds += GONE_SECONDS
        blamed.extend(scheduler.forget())
        left.append(begun(queues))
        end_this_process()

    monkeypatch.setattr(process, "ctx", lambda: None)
    monkeypatch.setattr(automation, "act", act)
    queues = Queues(server_url, b"s" * 32)
    for match in MATCHES:
        queues.enqueue(match, 1, "house")
    refuse_writes(server_url, True)

    helper = threading.Thread(target=take_writes_again)
    helper.start()
    with caplog.at_level(logging.INFO):
        work_on(SCORING, queues, stop)
    helper.join()

    waited = ["the worker waits for Redis", "the worker is ready", "the worker has Redis again"]
    assert done == MATCHES
    assert (left, blamed) == ([0], [])
    assert told(caplog) == [*waited, *waited, "a job was lost"]
    assert "quitting" not in caplog.text
