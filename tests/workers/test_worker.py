"""A worker at work: its jobs, a stop order, and an absent Redis."""

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, cast
from unittest import mock

import pytest
from redis import Redis, UnixDomainSocketConnection
from redis.exceptions import TimeoutError as Unanswered
from rq import Queue
from rq.serializers import JSONSerializer
from rq.timeouts import JobTimeoutException

from service.base import rounds
from service.matches import automation
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.ops.process.heartbeat import ActiveClock
from service.ops.process.valkey import Server
from service.store.jobs.counters import FAILED_JOBS
from service.store.jobs.queues import Queues
from service.store.jobs.table import FAILURE_TTL, FORMER_HOUSE, HOUSE, QUEUES
from service.store.journal.errors import JournalUnavailable
from service.store.journal.memory import memory_journal
from service.store.journal.redis.connection import RawConnections
from tests.running import PATIENCE, until
from workers import process
from workers.allowed_job import AllowedJob
from workers.app import open_lane
from workers.lost_jobs import GONE_SECONDS, LostJobs
from workers.process import StopOrder
from workers.worker import (
    SLOW_MS,
    CommandListener,
    JobTimeout,
    QueueWorker,
    make_worker,
    work_on,
)

MATCH, OTHER = "m" * 26, "n" * 26
JOB = f"house-{MATCH}-7"
BOT = {"kind": "bot", "level": "random"}
SHORT = 0.05  # seconds
NOTHING_LISTENS = "redis://127.0.0.1:1/0"

WAITS = "paused: waiting for Redis"

pytestmark = pytest.mark.usefixtures("handlers_put_back")


@pytest.fixture
def ctx(monkeypatch: pytest.MonkeyPatch) -> Context:
    """The context of the jobs."""
    context = Context(memory_journal(), b"s" * 32, lambda: 0, lambda *_: None)
    monkeypatch.setattr(process, "ctx", lambda: context)
    return context


@pytest.fixture
def queues(redis_url: str, ctx: Context) -> Iterator[Queues]:
    """Queues with one job."""
    with_a_job = Queues(redis_url, b"s" * 32)
    with_a_job.enqueue(MATCH, 7, "house")
    yield with_a_job
    with_a_job.redis.close()


@pytest.fixture
def stop() -> StopOrder:
    """The memory of signals to this process."""
    order = StopOrder()
    order.listen()
    return order


@pytest.fixture
def job_matches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The matches of finished jobs, by a function that does nothing else."""
    matches: list[str] = []
    monkeypatch.setattr(automation, "act", lambda _ctx, match: matches.append(match))
    return matches


def work(queues: Queues, stop: StopOrder | None = None) -> None:
    """Let a worker do all jobs of the queue "house", or until it is told to stop."""
    make_worker(open_lane(HOUSE, queues), stop=stop).work(burst=True, logging_level=None)


def tell_to_stop(*_: object) -> None:
    """Send a supervisor's signal. It arrives before the next instruction."""
    signal.raise_signal(signal.SIGTERM)


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the log of the worker itself from `info` on."""
    return [line.getMessage() for line in caplog.records if line.name.startswith("workers")]


def test_job_is_done_and_nothing_is_kept(
    queues: Queues, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job's function gets the match's id. No result and no trace of the job stays behind."""
    calls: list[tuple[object, str]] = []
    monkeypatch.setattr(automation, "act", lambda *arguments: calls.append(arguments))
    work(queues)

    assert calls == [(ctx, MATCH)]
    for pattern in ("rq:job:*", "rq:result*", "*:intermediate"):
        assert not queues.redis.keys(pattern)


# ---- told to stop --------------------------------------------------------------------------------


def test_told_to_stop_during_a_job_it_finishes_that_alone(
    queues: Queues, stop: StopOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker does no other job: the next one stays in the queue."""
    queues.enqueue(OTHER, 7, "house")
    job_matches: list[str] = []

    def act(_ctx: object, match: str) -> None:
        tell_to_stop()
        job_matches.append(match)

    monkeypatch.setattr(automation, "act", act)
    work(queues, stop)

    assert job_matches == [MATCH]
    assert len(queues.queues[HOUSE]) == 1


def test_told_to_stop_as_it_pops_a_job_it_does_that_alone(
    queues: Queues, stop: StopOrder, job_matches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The popped job is the worker's last, and the next one stays in the queue."""
    queues.enqueue(OTHER, 7, "house")
    restore = AllowedJob.restore

    def restore_and_be_told(job: AllowedJob, raw_data: Any) -> None:
        tell_to_stop()
        restore(job, raw_data)

    monkeypatch.setattr(AllowedJob, "restore", restore_and_be_told)
    work(queues, stop)

    assert job_matches == [MATCH]
    assert len(queues.queues[HOUSE]) == 1
    assert not queues.redis.keys("*:intermediate")


class ToldAtItsEnd:
    """An object that is told to stop as it is thrown away. Python swallows exceptions there."""

    def __del__(self) -> None:
        tell_to_stop()


def tell_later() -> None:
    """Send a supervisor's signal, soon."""
    threading.Timer(SHORT, os.kill, (os.getpid(), signal.SIGTERM)).start()


MOMENTS: dict[str, tuple[str, Callable[..., object]]] = {
    "as-it-registers": ("register_birth", tell_to_stop),
    "before-it-waits": ("set_state", tell_to_stop),
    "in-a-del": ("heartbeat", ToldAtItsEnd),
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
    """The worker waits for no other job, and no code in between swallows the order."""
    queues.redis.flushall()
    usual = getattr(QueueWorker, method)

    def be_told(*arguments: Any, **keywords: Any) -> None:
        usual(*arguments, **keywords)
        tell()

    monkeypatch.setattr(QueueWorker, method, be_told)
    job_matches: list[str] = []

    def be_told_again(_ctx: object, match: str) -> None:
        job_matches.append(match)
        tell_to_stop()

    # A worker that is deaf to the first order does this job.
    monkeypatch.setattr(automation, "act", be_told_again)
    rescue = threading.Timer(PATIENCE, queues.enqueue, (MATCH, 8, "house"))
    rescue.start()
    work_on(open_lane(HOUSE, queues), stop)
    rescue.cancel()
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()

    assert job_matches == []
    assert queues.workers()[HOUSE] == []


def test_nothing_listens_any_more_once_a_worker_has_ended(
    queues: Queues, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that listens to commands is told before it is woken, so no stop waits for it."""
    monkeypatch.setattr("workers.worker.LISTEN_SECONDS", 2 * PATIENCE)
    monkeypatch.setattr("workers.worker.END_SECONDS", PATIENCE)
    worker = make_worker(open_lane(HOUSE, queues))
    worker.subscribe()
    assert worker.listener is not None
    thread = worker.listener.thread
    subscription: Any = worker.pubsub
    unsubscribe = subscription.unsubscribe

    def unsubscribe_and_be_heard() -> None:
        unsubscribe()
        until(lambda: not (subscription.subscribed and thread.is_alive()), "the answer to be read")

    subscription.unsubscribe = unsubscribe_and_be_heard
    worker.unsubscribe()

    assert not thread.is_alive()


def test_a_stop_before_the_listener_runs_is_not_lost() -> None:
    """A worker may end at once, on a machine that starts the thread late."""
    subscription = mock.Mock()
    listener = CommandListener(subscription)

    listener.stop()
    listener.thread.start()
    listener.thread.join(PATIENCE)

    assert not listener.thread.is_alive()
    assert subscription.mock_calls == []


# ---- failing, slow and hanging jobs --------------------------------------------------------------


def test_jobs_in_the_former_queue_of_the_house_are_done(
    redis_url: str, ctx: Context, job_matches: list[str]
) -> None:
    """A web process of the first release puts jobs into that queue, without a code."""
    assert ctx
    former = Queue(FORMER_HOUSE, connection=Redis.from_url(redis_url), serializer=JSONSerializer)
    for match in (MATCH, OTHER):
        former.enqueue(QUEUES[HOUSE].function, match, job_id=f"house-{match}-7")

    work(Queues(redis_url, b"s" * 32))

    assert job_matches == [MATCH, OTHER]
    assert former.count == 0


def test_failed_job_is_left_to_the_scheduler(
    queues: Queues, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The failed job blocks its id for a second. The failure is logged in one line, and counted."""

    def fail(_ctx: object, match: str) -> None:
        raise ValueError(match)

    monkeypatch.setattr(automation, "act", fail)
    with caplog.at_level(logging.DEBUG, logger="workers"):
        work(queues)

    assert logged(caplog) == ["worker ready", "job failed"]
    failures = queues.counts(FAILED_JOBS)
    assert failures.pop(HOUSE) == 1
    assert set(failures.values()) == {0}
    seconds_left = queues.redis.ttl(f"rq:job:{JOB}")
    assert 0 < seconds_left <= FAILURE_TTL


@pytest.mark.parametrize(
    ("milliseconds", "level"),
    [(SLOW_MS, logging.INFO), (SLOW_MS - 1, logging.DEBUG)],
    ids=["slow", "quick"],
)
def test_job_is_logged_and_a_slow_one_for_everybody(
    queues: Queues,
    job_matches: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    milliseconds: int,
    level: int,
) -> None:
    """Queue, job, match and milliseconds stand in the line. Quick jobs do not flood the logs."""
    monkeypatch.setattr(
        "workers.worker.perf_counter", lambda: len(job_matches) * milliseconds / 1000
    )
    with caplog.at_level(logging.DEBUG):
        work(queues)

    [line] = [line for line in caplog.records if line.msg == "job done"]
    details = {"queue": HOUSE, "job": JOB, "match": MATCH, "ms": milliseconds}
    assert line.levelno == level
    assert details.items() <= vars(line).items()


def let_time_be_over() -> None:
    """Let the alarm of the present job, set to the job's time, come soon."""
    seconds, _again = signal.getitimer(signal.ITIMER_REAL)
    assert 0 < seconds <= QUEUES[HOUSE].timeout
    signal.setitimer(signal.ITIMER_REAL, SHORT, PATIENCE)


def test_job_that_hangs_is_ended_and_the_next_is_done(
    queues: Queues, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match of a hanging job is noted as a failing one, and the worker goes on."""
    match = open_new(ctx, OpenRequest("calimala", [BOT, BOT, BOT])).loaded.id
    queues.enqueue(match, 1, "house")
    queues.enqueue(OTHER, 8, "house")
    job_matches: list[str] = []

    def hang_at_one(_ctx: Context, job_match: str) -> None:
        if job_match == match:
            let_time_be_over()
            threading.Event().wait(PATIENCE)
        job_matches.append(job_match)

    monkeypatch.setattr(automation, "act", hang_at_one)
    work(queues)

    assert job_matches == [MATCH, OTHER]
    failing = {waiting.match: waiting.error for waiting in ctx.journal.pending.due(0, 9)}
    assert failing[match] == "JobTimeoutException"


def swallow_and_go_on() -> None:
    """Catch the first exception that comes, and take as long again."""
    with suppress(JobTimeoutException):
        threading.Event().wait(PATIENCE)
    threading.Event().wait(PATIENCE)
    pytest.fail("it was not ended again")


def test_job_that_swallows_its_end_is_ended_again() -> None:
    """Code of a job may catch the exception and go on. Then the next exception ends it."""
    deadline = JobTimeout(5 * SHORT, JobTimeoutException)  # type: ignore[no-untyped-call]
    with pytest.raises(JobTimeoutException), deadline:
        swallow_and_go_on()


class OnePool:
    """A pool of one connection. The time of a job is over as the connection changes hands."""

    def __init__(self, moment: str) -> None:
        self.connection_pool = self
        self.moment = moment
        self.free = [mock.Mock()]

    def get_connection(self) -> mock.Mock:
        """Take the connection."""
        connection = self.free.pop()
        if self.moment == "taken":
            connection.read_response = lambda: threading.Event().wait(PATIENCE)
            signal.raise_signal(signal.SIGALRM)
        else:
            connection.read_response.side_effect = Unanswered
        return connection

    def release(self, connection: mock.Mock) -> None:
        """Give the connection back."""
        if self.moment == "given back":
            signal.raise_signal(signal.SIGALRM)
        self.free.append(connection)


def ask_and_go_on(raw: RawConnections) -> None:
    """Send a command that is not answered, and take as long again."""
    with suppress(Unanswered):
        raw._answer(b"")
    threading.Event().wait(PATIENCE)


@pytest.mark.parametrize("moment", ["taken", "given back"])
def test_a_deadline_loses_no_connection(moment: str) -> None:
    """A deadline that passes while a connection changes hands is raised a moment later."""
    pool = OnePool(moment)
    raw = RawConnections(cast("Redis", pool))
    deadline = JobTimeout(PATIENCE, JobTimeoutException)  # type: ignore[no-untyped-call]
    with pytest.raises((JobTimeoutException, JournalUnavailable)), deadline:
        ask_and_go_on(raw)

    assert len(pool.free) == 1


@contextmanager
def hanging_server(directory: Path) -> Iterator[str]:
    """The URL of a server that neither answers nor refuses."""
    with Server(directory) as server:
        os.kill(server.pid, signal.SIGSTOP)
        yield server.url
        os.kill(server.pid, signal.SIGCONT)


class Unheard(UnixDomainSocketConnection):
    """A connection with a job that ends while it waits for the first answer."""

    def read_response(self, *arguments: Any, **keywords: Any) -> Any:
        let_time_be_over()
        return super().read_response(*arguments, **keywords)


def test_a_job_that_waits_for_redis_is_not_its_matchs_fault(
    queues: Queues,
    ctx: Context,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The job ends like a hanging one. It counts as no try of the match. The log names Redis."""
    match = open_new(ctx, OpenRequest("calimala", [BOT, BOT, BOT])).loaded.id
    queues.enqueue(match, 1, "house")
    with (
        hanging_server(tmp_path) as url,
        Redis.from_url(url, socket_timeout=PATIENCE, connection_class=Unheard) as away,
    ):
        monkeypatch.setattr(automation, "act", lambda *_: away.ping())
        work(queues)

    [waiting] = [one for one in ctx.journal.pending.due(0, 9) if one.match == match]
    assert waiting.tries == 0
    assert queues.counts(FAILED_JOBS)[HOUSE] == 2
    assert "Redis did not answer within the time of the job" in caplog.text


# ---- while Redis is away, or refuses to write ----------------------------------------------------


def test_worker_tells_that_it_lives_now_and_then(queues: Queues) -> None:
    """Heartbeats are rare, since each write to a server that is also the journal's goes to disk."""
    worker = make_worker(open_lane(HOUSE, queues))
    worker.heartbeat()
    assert queues.redis.ttl(worker.key) > worker.worker_ttl
    queues.redis.flushall()

    worker.heartbeat()
    assert not queues.redis.exists(worker.key)


def test_worker_goes_on_listening_whatever_redis_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """RQ's listener ends when an answer does not come in time: then the worker seems dead."""
    monkeypatch.setattr("workers.worker.LISTEN_AGAIN_SECONDS", 0)
    fault = ValueError("a fault of ours")
    answers = [Unanswered("late"), TypeError("the connection has no socket"), None, fault]
    listener = CommandListener(mock.Mock(get_message=mock.Mock(side_effect=answers)))

    with pytest.raises(ValueError, match="a fault of ours"):
        listener._listen()


def test_worker_without_redis_waits_until_it_is_told_to_end(
    stop: StopOrder, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker logs one line and no traceback. SIGTERM does not wait for the end of a pause."""
    monkeypatch.setattr(rounds, "_FIRST_PAUSE_SECONDS", 1000)
    monkeypatch.setattr(rounds, "_LONGEST_PAUSE_SECONDS", 1000)

    def end_when_it_waits() -> None:
        until(lambda: logged(caplog), "the line")
        os.kill(os.getpid(), signal.SIGTERM)

    ender = threading.Thread(target=end_when_it_waits)
    ender.start()
    with caplog.at_level(logging.INFO):
        work_on(open_lane(HOUSE, Queues(NOTHING_LISTENS, b"s" * 32)), stop)
    ender.join()

    assert logged(caplog) == [WAITS]


def refuse_writes(url: str, refuse: bool) -> None:
    """Let a server refuse writes, as the bundled one does when its disk is full, or take them."""
    with Redis.from_url(url) as client:
        client.config_set("min-replicas-to-write", int(refuse))


def begun(queues: Queues) -> int:
    """Return the number of begun jobs."""
    return queues.redis.zcard(queues.queues[HOUSE].started_job_registry.key)


def test_worker_outlives_a_time_without_writes(
    tmp_path: Path,
    ctx: Context,
    stop: StopOrder,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Writes are refused at its start, and then during a job: both times the worker goes on.

    The scheduler finds the job that the first worker could not end, and blames nobody for it.
    """
    job_matches: list[str] = []
    blamed: list[str] = []

    def act(_ctx: object, match: str) -> None:
        job_matches.append(match)
        if len(job_matches) == 1:
            refuse_writes(server.url, True)

    def waits(times: int) -> bool:
        return logged(caplog).count(WAITS) == times

    def take_writes_again() -> None:
        for count in (1, 2):
            until(partial(waits, count), "the worker to wait")
            refuse_writes(server.url, False)
        until(lambda: len(job_matches) == 2, "the second job")
        until(lambda: begun(queues) == 1, "the end of the second job")

        clock = ActiveClock()
        scheduler = LostJobs(queues, clock)
        queues.enqueue(MATCH, 1, "house")
        until(lambda: len(job_matches) == 3, "the first job to be done again")
        blamed.extend(scheduler.to_blame())
        clock.seconds += GONE_SECONDS
        blamed.extend(scheduler.to_blame())
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(automation, "act", act)
    with Server(tmp_path) as server:
        queues = Queues(server.url, b"s" * 32)
        for match in (MATCH, OTHER):
            queues.enqueue(match, 1, "house")
        refuse_writes(server.url, True)

        helper = threading.Thread(target=take_writes_again)
        helper.start()
        with caplog.at_level(logging.INFO):
            work_on(open_lane(HOUSE, queues), stop)
        helper.join()
        assert begun(queues) == 0

    waited = [WAITS, "worker ready", "Redis available again"]
    assert job_matches == [MATCH, OTHER, MATCH]
    assert blamed == []
    assert logged(caplog) == [*waited, *waited]
    assert "job lost" in caplog.text
    assert "quitting" not in caplog.text
