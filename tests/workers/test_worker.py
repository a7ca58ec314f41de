"""A worker at work: what it does with jobs, and with jobs that fail."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import TimeoutError as Unanswered
from rq.timeouts import JobTimeoutException

from service.jobs.queues import FAILURE_TTL, SCORING, TIMEOUTS, Queues
from service.journal.memory import memory_journal
from service.matches import automation
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.process.valkey import Server
from tests.running import until
from workers import process
from workers.allowed_jobs import AllowedJob
from workers.process import StopOrder
from workers.worker import SLOW_MS, Deadline, QueueWorker, make_worker, work_on

MATCH = "m" * 26
JOB = f"house-{MATCH}-7"
BOT = {"kind": "bot", "level": "random"}
SHORT = 0.05  # seconds that a job may take
PATIENCE = 10  # seconds that a job would take
DESK = Context(memory_journal(), b"s" * 32, lambda: 0, lambda *_: None)
HANDLED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)


@pytest.fixture
def queues(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queues]:
    """Queues with one job, and the signal handlers put back after a worker took them."""
    handlers = {number: signal.getsignal(number) for number in HANDLED_SIGNALS}
    monkeypatch.setattr(process, "ctx", lambda: DESK)

    with_a_job = Queues(redis_url, b"s" * 32)
    with_a_job.enqueue(MATCH, 7, "house")
    yield with_a_job

    with_a_job.redis.close()
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def stop(queues: Queues) -> StopOrder:
    """What remembers the signals of this process."""
    order = StopOrder()
    order.listen()
    return order


def work(queues: Queues, stop: StopOrder | None = None) -> None:
    """Let a worker do all jobs of the queue "scoring", or until it is told to stop."""
    make_worker(SCORING, queues, stop=stop).work(burst=True, logging_level=None)


def test_job_is_done_and_nothing_is_kept(queues: Queues, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job's function gets the match's id; no result and no trace of the job stays behind."""
    done: list[tuple[object, str]] = []

    def act(ctx: object, match: str) -> None:
        done.append((ctx, match))

    monkeypatch.setattr(automation, "act", act)
    work(queues)

    assert done == [(DESK, MATCH)]
    assert not queues.redis.keys("rq:job:*")
    assert not queues.redis.keys("rq:result*")
    assert not queues.redis.keys("*:intermediate")


def tell_to_stop(*_: object) -> None:
    """Send what a supervisor sends; it arrives before the next instruction."""
    signal.raise_signal(signal.SIGTERM)


def test_told_to_stop_during_a_job_it_finishes_that_alone(
    queues: Queues, stop: StopOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next job stays in the queue."""
    queues.enqueue("n" * 26, 7, "house")
    done: list[str] = []

    def act(_ctx: object, match: str) -> None:
        tell_to_stop()
        done.append(match)

    monkeypatch.setattr(automation, "act", act)
    work(queues, stop)

    assert done == [MATCH]
    assert len(queues.queues[SCORING]) == 1


def test_told_to_stop_as_it_pops_a_job_it_puts_it_back(
    queues: Queues, stop: StopOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job is the first of its queue again, whole, and the next worker does it."""
    queues.enqueue("n" * 26, 7, "house")
    done: list[str] = []
    monkeypatch.setattr(automation, "act", lambda _ctx, match: done.append(match))
    restore = AllowedJob.restore

    def restore_and_be_told(job: AllowedJob, raw_data: Any) -> None:
        tell_to_stop()
        restore(job, raw_data)

    with monkeypatch.context() as told:
        told.setattr(AllowedJob, "restore", restore_and_be_told)
        work(queues, stop)

    assert done == []
    assert queues.queues[SCORING].job_ids[0] == JOB
    assert not queues.redis.keys("*:intermediate")
    work(queues)
    assert done == [MATCH, "n" * 26]


class Told:
    """Something that is told to stop as it is thrown away, where Python swallows exceptions."""

    def __del__(self) -> None:
        tell_to_stop()


def tell_later() -> None:
    """Send what a supervisor sends, soon."""
    threading.Timer(SHORT, os.kill, (os.getpid(), signal.SIGTERM)).start()


MOMENTS: dict[str, tuple[str, Callable[..., object]]] = {
    "as-it-registers": ("register_birth", tell_to_stop),
    "before-it-waits": ("set_state", tell_to_stop),
    "in-a-del": ("heartbeat", Told),
    "while-it-waits": ("set_state", tell_later),
}


@pytest.mark.parametrize(("method", "tell"), MOMENTS.values(), ids=MOMENTS)
def test_told_to_stop_at_any_moment_it_ends_soon(
    queues: Queues,
    stop: StopOrder,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    tell: Callable[[], object],
) -> None:
    """It waits for no other job, and no code in between swallows the order."""
    queues.redis.flushall()
    usual = getattr(QueueWorker, method)

    def be_told(*arguments: Any, **named: Any) -> None:
        usual(*arguments, **named)
        tell()

    monkeypatch.setattr(QueueWorker, method, be_told)
    done: list[str] = []

    def be_told_again(_ctx: object, match: str) -> None:
        done.append(match)
        tell_to_stop()

    # A worker that is deaf to the first order does this job.
    monkeypatch.setattr(automation, "act", be_told_again)
    rescue = threading.Timer(PATIENCE, queues.enqueue, (MATCH, 8, "house"))
    rescue.start()
    work_on(SCORING, queues, stop)
    rescue.cancel()

    assert done == []
    assert queues.workers()[SCORING] == []


def test_nothing_listens_any_more_once_a_worker_has_ended(queues: Queues) -> None:
    """The thread that listens to commands is told before it is woken, so no stop waits for it."""
    worker = make_worker(SCORING, queues)
    worker.subscribe()  # type: ignore[no-untyped-call]
    listener: Any = worker.pubsub_thread
    subscription: Any = worker.pubsub

    # Whoever listens hears of the end of the subscription before anything else is done.
    unsubscribe = subscription.unsubscribe

    def unsubscribe_and_be_heard() -> None:
        unsubscribe()
        until(lambda: not subscription.subscribed, "the answer to be read")

    subscription.unsubscribe = unsubscribe_and_be_heard
    worker.unsubscribe()

    assert not listener.is_alive()


def test_failed_job_is_left_to_the_scheduler(
    queues: Queues, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It blocks one of the same id for a second; the failure is logged in one line, and counted."""

    def fail(_ctx: object, match: str) -> None:
        raise ValueError(match)

    monkeypatch.setattr(automation, "act", fail)
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
        "advice": 0,
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

    def take_some_time(_ctx: object, _match: str) -> None:
        stopwatch.seconds += milliseconds / 1000

    monkeypatch.setattr("workers.worker.perf_counter", stopwatch)
    monkeypatch.setattr(automation, "act", take_some_time)
    with caplog.at_level(logging.DEBUG):
        work(queues)

    [line] = [line for line in caplog.records if line.msg == "a job was done"]
    details = vars(line)
    assert line.levelno == level
    assert details["queue"] == SCORING
    assert details["job"] == JOB
    assert details["match"] == MATCH
    assert details["ms"] == milliseconds


def test_job_that_hangs_is_ended_and_the_next_is_done(
    queues: Queues, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match is told apart as one that fails, and the worker goes on."""
    match = open_new(DESK, OpenRequest("calimala", [BOT, BOT, BOT])).loaded.id
    queues.enqueue(match, 1, "house")
    done: list[str] = []

    def hang_at_one(_ctx: Context, job_match: str) -> None:
        if job_match == match:
            threading.Event().wait(PATIENCE)
        done.append(job_match)

    monkeypatch.setitem(TIMEOUTS, SCORING, SHORT)
    monkeypatch.setattr(automation, "act", hang_at_one)
    queues.enqueue(MATCH, 8, "house")
    work(queues)

    assert done == [MATCH, MATCH]
    failing = {waiting.match: waiting.error for waiting in DESK.journal.pending.due(0, 9)}
    assert failing[match] == "JobTimeoutException"


@pytest.fixture
def hanging_url(tmp_path: Path) -> Iterator[str]:
    """The URL of a server that does not answer, and does not refuse either."""
    with Server(tmp_path) as server:
        os.kill(server.pid, signal.SIGSTOP)
        yield server.url
        os.kill(server.pid, signal.SIGCONT)


def test_job_that_waits_for_redis_too_long_is_not_its_matchs_fault(
    queues: Queues,
    hanging_url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is ended like one that hangs, and the log says for what it has waited."""
    match = open_new(DESK, OpenRequest("calimala", [BOT, BOT, BOT])).loaded.id
    queues.enqueue(match, 1, "house")
    away = Redis.from_url(hanging_url, socket_timeout=PATIENCE)

    def ask(_ctx: Context, _match: str) -> None:
        away.ping()

    monkeypatch.setitem(TIMEOUTS, SCORING, SHORT)
    monkeypatch.setattr(automation, "act", ask)
    work(queues)
    away.close()

    [waiting] = [one for one in DESK.journal.pending.due(0, 9) if one.match == match]
    assert waiting.tries == 0
    assert queues.failures()[SCORING] == 2
    assert "Redis has not answered within the time of the job" in caplog.text


def swallow_and_go_on() -> None:
    """Catch the first exception that comes, and take as long again."""
    with suppress(JobTimeoutException):
        threading.Event().wait(PATIENCE)
    threading.Event().wait(PATIENCE)


def test_job_that_swallows_its_end_is_ended_again(queues: Queues) -> None:
    """An exception is only an exception: code of a job may catch it and go on."""
    began = time.monotonic()

    deadline = Deadline(SHORT, JobTimeoutException)  # type: ignore[no-untyped-call]
    with pytest.raises(JobTimeoutException), deadline:
        swallow_and_go_on()

    assert 2 * SHORT <= time.monotonic() - began < PATIENCE


def test_worker_registers_anew_after_the_server_lost_all(queues: Queues) -> None:
    """RQ registers a worker at its birth only; here each heartbeat does it."""
    worker = make_worker(SCORING, queues)
    worker.register_birth()  # type: ignore[no-untyped-call]
    known = {worker.key, "rq:workers", "rq:workers:scoring"}
    queues.redis.flushall()

    worker.heartbeat()

    assert set(queues.redis.keys("rq:worker*")) == {key.encode() for key in known}
    assert queues.redis.hget(worker.key, "queues") == b"scoring"
    assert queues.redis.ttl(worker.key) > 0


def test_a_worker_keeps_its_name(queues: Queues, monkeypatch: pytest.MonkeyPatch) -> None:
    """RQ would rename the process for each job, so that `ps` no longer shows which one it is."""
    names: list[str] = []
    monkeypatch.setattr("rq.worker.base.setprocname", names.append)

    make_worker(SCORING, queues).procline("Processing a job of a match")

    assert names == []


def test_worker_goes_on_listening_whatever_redis_answers(
    queues: Queues, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RQ's listener ends when an answer does not come in time: then the worker seems dead."""
    monkeypatch.setattr("workers.worker.LISTEN_AGAIN_SECONDS", 0)
    worker = make_worker(SCORING, queues)

    worker._pubsub_exception_handler(Unanswered("late"), None, None)
    worker._pubsub_exception_handler(TypeError("the connection has no socket"), None, None)
    with pytest.raises(ValueError, match="a fault of ours"):
        worker._pubsub_exception_handler(ValueError("a fault of ours"), None, None)
