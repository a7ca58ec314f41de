"""The queues: each job once, JSON inside, never in the way of a request."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

import pytest
from redis.exceptions import (
    ConnectionError as Unreachable,
    RedisError,
    ResponseError,
    TimeoutError as Unanswered,
)

from service.ops.process.valkey import Server
from service.store.jobs.counters import WEBHOOK_CALLS, WITNESS_CALLS
from service.store.jobs.queues import (
    Breaker,
    EnqueueThread,
    Queues,
    ServerRests,
    job_id_of,
    match_of,
    process_name,
    process_of,
    worker_name,
)
from service.store.jobs.table import BOTS, EXHIBITIONS, HOUSE, QUEUES
from tests.running import PATIENCE, no_threads, until

MATCH = "m" * 26


@pytest.fixture
def queues(redis_url: str) -> Queues:
    """Empty queues on a real server."""
    return Queues(redis_url, b"s" * 32)


# ---- jobs ----------------------------------------------------------------------------------------


def test_a_job_is_enqueued_once_as_json_with_a_dotted_path(queues: Queues) -> None:
    """A job holds a function's path and the match's id, readable without unpickling anything.

    The web process and the scheduler may both enqueue it. By its id the scheduler knows the match
    and the version at which a process died.
    """
    queues.enqueue("m", 7, "house")
    queues.enqueue("m", 7, "house")
    assert queues.queues[HOUSE].job_ids == ["house-m-7"]

    call = queues.redis.hget("rq:job:house-m-7", "data")
    assert isinstance(call, bytes)
    assert json.loads(zlib.decompress(call)) == [QUEUES[HOUSE].function, None, ["m"], {}]

    assert match_of(job_id_of(MATCH, 7, "retry")) == (MATCH, 7)


@pytest.mark.parametrize(
    ("match", "version", "work", "queue"),
    [
        ("m", 8, "house", HOUSE),
        ("n", 7, "house", HOUSE),
        ("m", 7, "bots", BOTS),
        ("m", 7, "exhibition", EXHIBITIONS),
    ],
    ids=["version", "match", "work", "exhibition"],
)
def test_another_version_match_or_work_is_another_job(
    queues: Queues, match: str, version: int, work: str, queue: str
) -> None:
    """Another version, match or kind of work makes another job, in the queue of its kind."""
    queues.enqueue("m", 7, "house")
    queues.enqueue(match, version, work)

    depths = dict.fromkeys(QUEUES, 0)
    depths[HOUSE] = 1
    depths[queue] += 1
    assert queues.depths() == depths


# ---- jobs of requests ----------------------------------------------------------------------------

ENQUEUE_AND_END = """
import time
from service.store.jobs.queues import EnqueueThread

def enqueue(match, version, awaiting):
    time.sleep(0.01)
    print(match, version, awaiting)

thread = EnqueueThread(enqueue)
for version in range(3):
    thread.enqueue("m", version, "bots")
"""


def test_waiting_jobs_are_enqueued_before_the_process_ends() -> None:
    """A normal stop loses no job."""
    command = [sys.executable, "-c", ENQUEUE_AND_END]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)

    assert ended.stdout.splitlines() == ["m 0 bots", "m 1 bots", "m 2 bots"]


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the log of the queues, without that of other threads."""
    return [
        line.getMessage() for line in caplog.records if line.name == "service.store.jobs.queues"
    ]


def test_no_request_waits_for_a_server_that_takes_long(caplog: pytest.LogCaptureFixture) -> None:
    """Jobs beyond the limit are dropped and logged. The scheduler enqueues them later."""
    go_on = threading.Event()
    versions: list[int] = []

    def enqueue(_match: str, version: int, _awaiting: str) -> None:
        go_on.wait(PATIENCE)
        versions.append(version)

    thread = EnqueueThread(enqueue, most_at_hand=2)
    for version in range(5):
        thread.enqueue("m", version, "bots")
    go_on.set()
    thread.flush()

    assert versions == [0, 1]
    assert logged(caplog) == ["job dropped: backlog full"] * 3

    thread.enqueue("m", 5, "bots")
    thread.flush()
    assert versions == [0, 1, 5], "there is room again"


def test_calls_are_enqueued_though_no_more_threads_start() -> None:
    """The only enqueueing thread has started already, so no new thread is needed."""
    versions: list[int] = []
    thread = EnqueueThread(
        lambda _match, version, _awaiting: versions.append(version), most_at_hand=2
    )
    with no_threads():
        for version in range(5):
            thread.enqueue("m", version, "bots")
            thread.flush()

    assert versions == [0, 1, 2, 3, 4]


# ---- who works -----------------------------------------------------------------------------------

# The same process twice: the module is loaded again, as at a new start.
PRINT_NAMES = """
import importlib
from service.store.jobs import queues
print(queues.process_name())
print(importlib.reload(queues).process_name())
"""


def test_a_worker_lives_as_long_as_it_listens(queues: Queues) -> None:
    """A worker counts while it listens. Workers of other databases are ignored."""
    own = worker_name(BOTS, queues.redis, 0)
    with queues.redis.pubsub() as listening:  # type: ignore[no-untyped-call]
        for name in (own, "bots-db9-h-2", "bots-h-3"):
            listening.subscribe(f"rq:pubsub:{name}")
            listening.get_message(timeout=PATIENCE)
        queues.redis.flushall()
        living = queues.workers()

    assert living == {**{name: [] for name in QUEUES}, BOTS: [own]}
    until(lambda: queues.workers()[BOTS] == [], "the server to notice the end of the connection")


def test_every_worker_of_a_process_is_known_as_such(queues: Queues) -> None:
    """Workers of one process share its name.

    A new process has another, even with the same number.
    """
    workers = [worker_name(BOTS, queues.redis, number) for number in (0, 1, 12)]
    [process] = {process_of(worker) for worker in workers}
    assert process == f"bots-db0-{process_name()}"

    command = [sys.executable, "-c", PRINT_NAMES]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    first, second = ended.stdout.split()
    assert first != second


def test_the_scheduler_is_known_by_its_last_beat(queues: Queues) -> None:
    """A beat stores the scheduler's name, which expires by itself."""
    assert queues.scheduler() is None

    queues.scheduler_beat("scheduler-h-3")

    assert queues.scheduler() == "scheduler-h-3"
    assert 0 < queues.redis.ttl("giornale:keeper") <= 5


# ---- a server that is away or hangs --------------------------------------------------------------


LONGEST_WAIT = 40.0  # seconds. Waiting for a hundred jobs would take fifty


def test_a_server_that_hangs_is_waited_for_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first call waits for a hanging server. Later ones are refused until it answers."""
    monkeypatch.setattr("service.store.jobs.queues._ANSWER_SECONDS", 0.5)
    with Server(tmp_path) as server:
        queues = Queues(server.url, b"s" * 32)
        until(lambda: answers(queues), "the queues to answer")
        os.kill(server.pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            for version in range(100):
                queues.enqueue(MATCH, version, "bots")
            with pytest.raises(RedisError):
                queues.workers()
            seconds = time.monotonic() - began
        finally:
            os.kill(server.pid, signal.SIGCONT)

        assert seconds < LONGEST_WAIT
        assert logged(caplog) == ["job not queued"], "it is logged once, not for every job"

        until(lambda: answers(queues), "the queues to be asked again")
        until(lambda: is_enqueued(queues), "a job to be enqueued")
        queues.redis.close()


def is_enqueued(queues: Queues) -> bool:
    """Enqueue a job. Return True if the queue answers in time and holds one."""
    queues.enqueue(MATCH, 7, "bots")
    try:
        return queues.depth(BOTS) >= 1
    except RedisError:
        return False


def answers(queues: Queues) -> bool:
    """Return True if the queues answer."""
    try:
        queues.ping()
    except RedisError:
        return False
    return True


class SilentServer:
    """A server with a switch for tests. It counts pings and their threads."""

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.pings = 0
        self.askers: set[threading.Thread] = set()

    def ping(self) -> None:
        """Count a ping. Raise Unanswered unless the server answers."""
        self.pings += 1
        self.askers.add(threading.current_thread())
        if not self.answers.is_set():
            raise Unanswered("no answer")


@pytest.fixture
def silent() -> SilentServer:
    """A silent server."""
    return SilentServer()


def fail(breaker: Breaker, error: type[RedisError]) -> None:
    """Call through the breaker, and fail with an error."""
    with breaker.guard():
        raise error("asked")


@pytest.mark.parametrize("error", [Unreachable, Unanswered])
def test_after_a_failure_nobody_asks_until_the_server_answers(
    silent: SilentServer, error: type[RedisError]
) -> None:
    """The first caller meets the failure.

    Later callers are refused at once, while a thread pings the server.
    """
    breaker = Breaker(silent.ping, pause_seconds=0.01)
    with pytest.raises(error, match="asked"):
        fail(breaker, error)

    with pytest.raises(ServerRests):
        fail(breaker, error)
    until(lambda: silent.pings > 2, "more tries of the thread")
    with pytest.raises(ServerRests):
        fail(breaker, error)

    silent.answers.set()
    until(lambda: not breaker.is_open, "the breaker to close")
    with pytest.raises(error, match="asked"):
        fail(breaker, error)


def test_without_a_thread_the_next_question_is_the_next_try(silent: SilentServer) -> None:
    """If no thread can start, the breaker does not stay open. With threads it works as before."""
    breaker = Breaker(silent.ping, pause_seconds=0.01)
    with no_threads():
        for _time in range(2):
            with pytest.raises(Unanswered):
                fail(breaker, Unanswered)

    with pytest.raises(Unanswered):
        fail(breaker, Unanswered)
    with pytest.raises(ServerRests):
        fail(breaker, Unanswered)
    silent.answers.set()
    until(lambda: not breaker.is_open, "the breaker to close")


def test_an_answer_that_is_an_error_is_an_answer(silent: SilentServer) -> None:
    """A server that answers with an error is reachable, so the next call is made."""
    breaker = Breaker(silent.ping)

    for _time in range(2):
        with pytest.raises(ResponseError):
            fail(breaker, ResponseError)

    assert silent.pings == 0


def test_one_thread_tries_however_many_have_failed(silent: SilentServer) -> None:
    """Calls under way at the first failure start no threads of their own."""
    breaker = Breaker(silent.ping, pause_seconds=0.01)
    with pytest.raises(Unanswered), breaker.guard():  # noqa: PT012
        with pytest.raises(Unanswered):
            fail(breaker, Unanswered)
        raise Unanswered("asked before the other failed")

    until(lambda: silent.pings > 2, "more tries")
    assert len(silent.askers) == 1
    silent.answers.set()


def test_calls_are_counted_by_outcome(queues: Queues) -> None:
    """Calls of all processes are counted. A foreign value in place of the counts counts nothing."""
    for outcome in ("received", "failed", "received"):
        queues.count(WEBHOOK_CALLS, outcome)
    assert queues.counts(WEBHOOK_CALLS) == {"received": 2, "failed": 1}

    queues.redis.set(WEBHOOK_CALLS.key, "no hash")
    assert queues.counts(WEBHOOK_CALLS) == {"received": 0, "failed": 0}


def test_questions_to_witnesses_are_counted_by_outcome(queues: Queues) -> None:
    """Requests to witnesses are counted apart from calls of webhooks."""
    assert queues.counts(WITNESS_CALLS) == {"cosigned": 0, "refused": 0, "failed": 0}
    for outcome in ("cosigned", "refused", "cosigned", "failed"):
        queues.count(WITNESS_CALLS, outcome)
    assert queues.counts(WITNESS_CALLS) == {"cosigned": 2, "refused": 1, "failed": 1}
    assert queues.counts(WEBHOOK_CALLS) == {"received": 0, "failed": 0}
