"""A job that a worker has left behind blocks no new job of its id. Living workers are left alone.

A lost job is blamed only if its process is gone, or hangs in it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from redis import Redis
from rq.executions import Execution, ExecutionRegistry

from service.ops.process.heartbeat import ActiveClock
from service.store.jobs.queues import Queues
from service.store.jobs.table import AUDITS, HOUSE
from tests.running import PATIENCE
from workers.app import open_lane
from workers.lost_jobs import GONE_SECONDS, LostJobs
from workers.worker import make_worker

JOB = "house-m-7"
PROCESS = "house-db0-h-1-0a1b2c3d"
WORKER = f"{PROCESS}#0"


@pytest.fixture
def queues(redis_url: str) -> Queues:
    """Queues with one job."""
    with_a_job = Queues(redis_url, b"s" * 32)
    enqueue_again(with_a_job)
    return with_a_job


@pytest.fixture
def clock() -> ActiveClock:
    """A clock that stands nearly still unless the test moves it."""
    return ActiveClock()


@pytest.fixture
def lost_jobs(queues: Queues, clock: ActiveClock) -> LostJobs:
    """A scheduler's knowledge of lost jobs."""
    return LostJobs(queues, clock)


def enqueue_again(queues: Queues) -> None:
    """Enqueue the job, as the scheduler does while its match is due."""
    queues.enqueue("m", 7, "house")


def pop(queues: Queues) -> None:
    """Pop the job as a worker does."""
    queue = queues.queues[HOUSE]
    popped = queues.redis.lmove(queue.key, queue.intermediate_queue_key)
    assert popped == JOB.encode()


def begin(queues: Queues) -> None:
    """Pop the job and begin it as a worker does."""
    pop(queues)
    queue = queues.queues[HOUSE]
    job = queue.fetch_job(JOB)
    assert job is not None
    seconds = make_worker(open_lane(HOUSE, queues)).get_heartbeat_ttl(job)
    with queues.redis.pipeline() as pipeline:
        Execution.create(job, seconds, pipeline, worker_name=WORKER)
        job.prepare_for_execution(WORKER, pipeline)
        pipeline.lrem(queue.intermediate_queue_key, 1, JOB)
        pipeline.execute()


@contextmanager
def listening(redis: Redis, worker: str) -> Iterator[None]:
    """A living worker of a name."""
    with redis.pubsub() as channel:  # type: ignore[no-untyped-call]
        channel.subscribe(f"rq:pubsub:{worker}")
        channel.get_message(timeout=PATIENCE)
        yield


def waits(queues: Queues) -> bool:
    """Return True if the job waits in its queue, once, and RQ knows of no other of its id."""
    for pattern in ("rq:wip:*", "rq:executions:*", "*:intermediate"):
        assert not queues.redis.keys(pattern)
    return queues.queues[HOUSE].job_ids == [JOB]


def test_a_job_that_waits_or_is_at_work_is_left_alone(queues: Queues) -> None:
    """A waiting or running job stays as it is, however often it is enqueued."""
    enqueue_again(queues)
    assert waits(queues)

    begin(queues)
    with listening(queues.redis, WORKER):
        enqueue_again(queues)
    assert queues.depths()[HOUSE] == 0
    assert not queues.left_behind


def test_a_job_that_was_popped_and_never_begun_blames_nobody(
    queues: Queues, clock: ActiveClock, lost_jobs: LostJobs, caplog: pytest.LogCaptureFixture
) -> None:
    """The job waits again, and the log says that it was lost."""
    pop(queues)
    enqueue_again(queues)

    assert waits(queues)
    assert [line.msg for line in caplog.records] == ["job lost"]
    assert lost_jobs.to_blame() == []
    clock.seconds += GONE_SECONDS
    assert lost_jobs.to_blame() == []


def test_a_job_without_its_queue_waits_again(queues: Queues) -> None:
    """Somebody deleted the queue. RQ's data of the job would block the next job of its id."""
    queues.redis.delete(queues.queues[HOUSE].key)
    enqueue_again(queues)

    assert waits(queues)


def test_the_job_of_a_process_that_is_gone_is_blamed_once(
    queues: Queues, clock: ActiveClock, lost_jobs: LostJobs
) -> None:
    """The job waits again at once. It is blamed once the process has had time to come back."""
    begin(queues)
    enqueue_again(queues)
    assert waits(queues)

    assert lost_jobs.to_blame() == []
    clock.seconds += GONE_SECONDS
    assert lost_jobs.to_blame() == [JOB]
    assert lost_jobs.to_blame() == []


def test_the_job_of_a_process_that_comes_back_blames_nobody(
    queues: Queues, clock: ActiveClock, lost_jobs: LostJobs
) -> None:
    """An outage of Redis has ended the worker. Its process lives, and soon has another worker."""
    begin(queues)
    enqueue_again(queues)
    assert lost_jobs.to_blame() == []

    clock.seconds += GONE_SECONDS
    with listening(queues.redis, f"{PROCESS}#1"):
        assert lost_jobs.to_blame() == []
    clock.seconds += GONE_SECONDS
    assert lost_jobs.to_blame() == []


def test_time_without_a_round_does_not_count(
    queues: Queues, lost_jobs: LostJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While Redis is away, or the machine sleeps, no process can come back."""
    begin(queues)
    enqueue_again(queues)
    assert lost_jobs.to_blame() == []

    later = time.monotonic() + 10 * GONE_SECONDS
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert lost_jobs.to_blame() == []


def test_an_old_job_of_a_worker_blames_nobody(
    queues: Queues, clock: ActiveClock, lost_jobs: LostJobs
) -> None:
    """All processes were down for minutes, and RQ's notes of the begun job have expired."""
    begin(queues)
    for key in (*queues.redis.keys("rq:execution*"), *queues.redis.keys("rq:wip:*")):
        queues.redis.delete(key)
    enqueue_again(queues)

    assert waits(queues)
    lost_jobs.to_blame()
    clock.seconds += GONE_SECONDS
    assert lost_jobs.to_blame() == []


def test_two_schedulers_blame_a_lost_job_once(
    redis_url: str, queues: Queues, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both schedulers have found the job, and only the one that has removed it counts it."""
    others = Queues(redis_url, b"s" * 32)
    begin(queues)
    forget = queues._forget

    def forget_after_the_other(name: str, job_id: str) -> bool:
        assert not others.is_at_hand(name, job_id)
        return forget(name, job_id)

    monkeypatch.setattr(queues, "_forget", forget_after_the_other)
    enqueue_again(queues)

    assert list(others.left_behind) == [(JOB, WORKER)]
    assert not queues.left_behind
    assert waits(queues)


def test_a_job_of_a_hanging_process_is_done_elsewhere_and_blamed(
    queues: Queues, clock: ActiveClock, lost_jobs: LostJobs
) -> None:
    """A stopped process still listens, but it should have ended the job long ago."""
    begin(queues)
    registry = ExecutionRegistry(JOB, queues.redis)
    job = queues.queues[HOUSE].fetch_job(JOB)
    assert job is not None
    seconds = make_worker(open_lane(HOUSE, queues)).get_heartbeat_ttl(job)

    with listening(queues.redis, WORKER):
        queues.redis.expire(registry.key, queues.redis.ttl(registry.key) - seconds + 5)
        enqueue_again(queues)
        assert queues.depths()[HOUSE] == 0

        queues.redis.expire(registry.key, queues.redis.ttl(registry.key) - 5)
        enqueue_again(queues)
        assert waits(queues)

        lost_jobs.to_blame()
        clock.seconds += GONE_SECONDS
        assert lost_jobs.to_blame() == [JOB]


def test_a_request_of_a_dead_worker_is_enqueued_again(queues: Queues) -> None:
    """No match waits for an audit, so only the next caller finds it lost."""
    queues.put(AUDITS, "audit-m", "m", 7)
    queue = queues.queues[AUDITS]
    queues.redis.lmove(queue.key, queue.intermediate_queue_key)

    assert queues.arguments_of(AUDITS, "audit-m") is None
    queues.put(AUDITS, "audit-m", "m", 7)

    assert queue.job_ids == ["audit-m"]
