"""A worker at work: what it does with jobs, and with jobs that fail."""

import logging
import signal
from collections.abc import Iterator

import pytest

from service.jobs.queues import FAILURE_TTL, SCORING, Queues
from service.journal.memory import MemoryJournal
from service.matches import house
from service.matches.desk import Desk
from workers import context
from workers.worker import SLOW_MS, make_worker

MATCH = "m" * 26
JOB = f"house-{MATCH}-7"
DESK = Desk(MemoryJournal(), b"s" * 32, lambda: 0, lambda *_: None)
HANDLED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)


@pytest.fixture
def queues(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queues]:
    """Queues with one job, and the signal handlers put back after a worker took them."""
    handlers = {number: signal.getsignal(number) for number in HANDLED_SIGNALS}
    monkeypatch.setattr(context, "desk", lambda: DESK)

    with_a_job = Queues(redis_url)
    with_a_job.wake(MATCH, 7, "house")
    yield with_a_job

    with_a_job.redis.close()
    for number, handler in handlers.items():
        signal.signal(number, handler)


def work(queues: Queues) -> None:
    """Let a worker do all jobs of the queue "scoring"."""
    make_worker(SCORING, queues.redis).work(burst=True, logging_level=None)


def test_job_is_done_and_nothing_is_kept(queues: Queues, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job's function gets the match's id; no result and no trace of the job stays behind."""
    done: list[tuple[object, str]] = []

    def act(desk: object, match: str) -> None:
        done.append((desk, match))

    monkeypatch.setattr(house, "act", act)
    work(queues)

    assert done == [(DESK, MATCH)]
    assert not queues.redis.keys("rq:job:*")
    assert not queues.redis.keys("rq:result*")
    assert not queues.redis.keys("*:intermediate")


def test_failed_job_is_left_to_the_keeper(
    queues: Queues, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It blocks its own wake for a second; the failure is logged in one line, and counted."""

    def fail(_desk: object, match: str) -> None:
        raise ValueError(match)

    monkeypatch.setattr(house, "act", fail)
    with caplog.at_level(logging.DEBUG, logger="workers"):
        work(queues)

    messages = [line.msg for line in caplog.records if line.name == "workers.worker"]
    assert messages == [
        "the worker is ready",
        "a job failed",
    ]
    assert queues.failures() == {
        "scoring": 1,
        "bots": 0,
        "exhibitions": 0,
        "audits": 0,
    }
    seconds_left = queues.redis.ttl(f"rq:job:{JOB}")
    assert 0 < seconds_left <= FAILURE_TTL


class Stopwatch:
    """A clock that only jobs move on: what `perf_counter` shows, in seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds


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
    """Queue, job, match and milliseconds are told; quick jobs do not flood the logs."""
    stopwatch = Stopwatch()

    def take_some_time(_desk: object, _match: str) -> None:
        stopwatch.seconds += milliseconds / 1000

    monkeypatch.setattr("workers.worker.perf_counter", stopwatch)
    monkeypatch.setattr(house, "act", take_some_time)
    with caplog.at_level(logging.DEBUG):
        work(queues)

    [line] = [line for line in caplog.records if line.msg == "a job was done"]
    details = vars(line)
    assert line.levelno == level
    assert details["queue"] == SCORING
    assert details["job"] == JOB
    assert details["match"] == MATCH
    assert details["ms"] == milliseconds
