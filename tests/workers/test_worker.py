"""A worker at work: what it does with jobs, and with jobs that fail."""

import logging
import signal
from collections.abc import Iterator

import pytest

from service.jobs.queues import FAILURE_TTL, SCORING, Queues
from service.matches import house
from workers import context
from workers.worker import SLOW_MS, make_worker

MATCH = "m" * 26


@pytest.fixture
def queues(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queues]:
    """Queues with one job, and the process's signal handlers put back after a worker took them."""
    before = {
        number: signal.getsignal(number)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    }
    monkeypatch.setattr(context, "desk", lambda: "the desk")
    made = Queues(redis_url)
    made.wake(MATCH, 7, "house")
    yield made
    made.redis.close()
    for number, handler in before.items():
        signal.signal(number, handler)


def test_job_is_done_and_nothing_is_kept(queues: Queues, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job's function gets the match's id; no result and no trace of the job stays behind."""
    done: list[tuple[object, str]] = []
    monkeypatch.setattr(house, "act", lambda desk, match: done.append((desk, match)))
    make_worker(SCORING, queues.redis).work(burst=True, logging_level=None)
    assert done == [("the desk", MATCH)]
    assert (
        not queues.redis.keys("rq:job:*")
        + queues.redis.keys("rq:result*")
        + queues.redis.keys("*:intermediate")
    )


def test_failed_job_is_tried_twice_and_then_left_to_the_keeper(
    queues: Queues, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It blocks its own wake for two seconds only; each failure is one log line, and counted beside the queues."""

    def fail(_desk: object, match: str) -> None:
        raise ValueError(match)

    monkeypatch.setattr(house, "act", fail)
    with caplog.at_level(logging.DEBUG, logger="workers"):
        make_worker(SCORING, queues.redis).work(burst=True, logging_level=None)
    told = [line.msg for line in caplog.records if line.name == "workers.worker"]
    assert told == ["the worker is ready", "a job failed", "a job failed"]
    assert queues.failures() == {"scoring": 2, "bots": 0, "exhibitions": 0, "audits": 0}
    assert 0 < queues.redis.ttl(f"rq:job:house-{MATCH}-7") <= FAILURE_TTL


@pytest.mark.parametrize(
    ("milliseconds", "level"),
    [(SLOW_MS, logging.INFO), (SLOW_MS - 1, logging.DEBUG)],
    ids=["slow", "quick"],
)
def test_job_is_logged_and_a_slow_one_for_everybody(
    queues: Queues,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    milliseconds: int,
    level: int,
) -> None:
    """Queue, job, match and milliseconds are told; thousands of quick jobs do not flood the logs."""
    clock = [0.0]
    monkeypatch.setattr("workers.worker.perf_counter", lambda: clock[0])
    monkeypatch.setattr(
        house, "act", lambda _desk, _match: clock.append(clock.pop() + milliseconds / 1000)
    )
    with caplog.at_level(logging.DEBUG):
        make_worker(SCORING, queues.redis).work(burst=True, logging_level=None)

    [line] = [line for line in caplog.records if line.msg == "a job was done"]
    assert line.levelno == level
    told = {name: vars(line)[name] for name in ("queue", "job", "match", "ms")}
    assert told == {"queue": SCORING, "job": f"house-{MATCH}-7", "match": MATCH, "ms": milliseconds}
