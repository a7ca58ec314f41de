"""Jobs of dead workers are forgotten within two rounds; those of the living are left alone.

Only a process that is gone is to blame for a lost job, or one that hangs in it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from redis import Redis
from rq.executions import Execution

from service.jobs.queues import HOUSE, TIMEOUTS, Queues, numbered
from service.process.heartbeat import ActiveClock
from workers import scheduler
from workers.scheduler import GONE_SECONDS, GRACE_SECONDS, LostJobs

JOB = "house-m-7"
PROCESS = "house-db0-h-1-0a1b2c3d"
WORKER = numbered(PROCESS, 0)
EXECUTION_SECONDS = 60
LONGEST = TIMEOUTS[HOUSE] + GRACE_SECONDS


@pytest.fixture
def queues(redis_url: str) -> Queues:
    """Queues with one job."""
    with_a_job = Queues(redis_url, b"s" * 32)
    with_a_job.enqueue("m", 7, "house")
    return with_a_job


@pytest.fixture
def clock() -> ActiveClock:
    """A clock that hardly moves but by the test."""
    return ActiveClock()


@pytest.fixture
def lost_jobs(queues: Queues, clock: ActiveClock) -> LostJobs:
    """What a scheduler knows of lost jobs."""
    return LostJobs(queues, clock)


def pop(queues: Queues) -> None:
    """Pop the job as a worker does."""
    queue = queues.queues[HOUSE]
    popped = queues.redis.lmove(queue.key, queue.intermediate_queue_key)
    assert popped == JOB.encode()


def register(queues: Queues) -> None:
    """Do the first half of beginning: the job is begun, and still among those that were popped."""
    job = queues.queues[HOUSE].fetch_job(JOB)
    assert job is not None
    with queues.redis.pipeline() as pipeline:
        Execution.create(job, EXECUTION_SECONDS, pipeline, worker_name=WORKER)
        pipeline.execute()


def begin(queues: Queues) -> None:
    """Begin the job as a worker does."""
    register(queues)
    queue = queues.queues[HOUSE]
    job = queue.fetch_job(JOB)
    assert job is not None
    with queues.redis.pipeline() as pipeline:
        job.prepare_for_execution(WORKER, pipeline)
        pipeline.lrem(queue.intermediate_queue_key, 1, JOB)
        pipeline.execute()


@contextmanager
def listening(redis: Redis, worker: str) -> Iterator[None]:
    """A worker of a name that lives meanwhile."""
    with redis.pubsub() as channel:  # type: ignore[no-untyped-call]
        channel.subscribe(f"rq:pubsub:{worker}")
        channel.get_message(timeout=5)
        yield


def is_there(queues: Queues) -> bool:
    """Return whether anything of the job is there."""
    return bool(queues.redis.exists(f"rq:job:{JOB}"))


def check_enqueued_anew(queues: Queues) -> None:
    """Assert that nothing of the job is left, so that nothing blocks the next of the same id."""
    for pattern in ("rq:job:*", "rq:wip:*", "*:intermediate"):
        assert not queues.redis.keys(pattern)
    queues.enqueue("m", 7, "house")
    assert queues.depths()[HOUSE] == 1


def test_job_of_a_living_worker_is_not_lost(queues: Queues, lost_jobs: LostJobs) -> None:
    """However long it takes to begin; nor is a job that waits in its queue."""
    assert [lost_jobs.forget() for _ in range(2)] == [[], []]
    assert queues.depths()[HOUSE] == 1

    pop(queues)
    register(queues)
    with listening(queues.redis, WORKER):
        assert [lost_jobs.forget() for _ in range(3)] == [[], [], []]
    assert is_there(queues)


def test_job_of_a_worker_that_has_just_started_is_not_lost(
    queues: Queues, lost_jobs: LostJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It begins a job in the middle of a round, when the living have been listed."""
    list_the_living = queues.workers

    def list_and_begin() -> dict[str, list[str]]:
        living = list_the_living()
        pop(queues)
        begin(queues)
        return living

    monkeypatch.setattr(queues, "workers", list_and_begin)
    assert lost_jobs.forget() == []
    assert is_there(queues)


def test_job_popped_but_never_begun_is_lost_in_the_second_round(
    queues: Queues, clock: ActiveClock, lost_jobs: LostJobs
) -> None:
    """A round of grace tells it from one just being begun. Nobody has, so nobody is to blame."""
    pop(queues)
    assert lost_jobs.forget() == []
    assert is_there(queues)

    assert lost_jobs.forget() == []
    check_enqueued_anew(queues)
    clock.seconds += GONE_SECONDS
    assert lost_jobs.forget() == []


HALVES = {"begun": begin, "begun-and-still-popped": register}


@pytest.mark.parametrize("begun", HALVES.values(), ids=HALVES)
def test_job_of_a_process_that_is_gone_is_blamed_once(
    queues: Queues,
    clock: ActiveClock,
    lost_jobs: LostJobs,
    caplog: pytest.LogCaptureFixture,
    begun: Callable[[Queues], None],
) -> None:
    """The job is forgotten at once; blamed it is when the process has had time to come back."""
    pop(queues)
    lost_jobs.forget()
    begun(queues)
    assert lost_jobs.forget() == []
    check_enqueued_anew(queues)

    assert lost_jobs.forget() == []
    clock.seconds += GONE_SECONDS
    assert lost_jobs.forget() == [JOB]
    assert lost_jobs.forget() == []
    logged = [line.msg for line in caplog.records if line.name == "workers.scheduler"]
    assert logged == ["a job was lost"]


def test_job_of_a_process_that_comes_back_blames_nobody(
    queues: Queues, clock: ActiveClock, lost_jobs: LostJobs
) -> None:
    """An outage of Redis has ended its worker; the process lives, and has another one soon."""
    pop(queues)
    begin(queues)
    assert lost_jobs.forget() == []
    assert not is_there(queues)

    clock.seconds += GONE_SECONDS - 1
    with listening(queues.redis, numbered(PROCESS, 1)):
        assert lost_jobs.forget() == []
    clock.seconds += GONE_SECONDS
    assert lost_jobs.forget() == []


def test_old_job_of_an_unknown_worker_blames_nobody(
    queues: Queues, clock: ActiveClock, lost_jobs: LostJobs
) -> None:
    """All processes were down for minutes, and Redis has kept the list of what was begun alone."""
    pop(queues)
    begin(queues)
    for key in queues.redis.keys("rq:execution:*"):
        queues.redis.delete(key)

    lost_jobs.forget()
    clock.seconds += LONGEST + 1
    assert lost_jobs.forget() == []
    assert not is_there(queues)
    clock.seconds += GONE_SECONDS
    assert lost_jobs.forget() == []


def test_two_schedulers_blame_a_lost_job_once(
    queues: Queues, clock: ActiveClock, lost_jobs: LostJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have found it, and the one that has removed it is the one that counts it."""
    other = LostJobs(queues, clock)
    pop(queues)
    begin(queues)
    forget = scheduler._forget

    def forget_after_the_other(lost: Any) -> bool:
        monkeypatch.setattr(scheduler, "_forget", forget)
        other.forget()
        return forget(lost)

    monkeypatch.setattr(scheduler, "_forget", forget_after_the_other)
    lost_jobs.forget()
    clock.seconds += GONE_SECONDS

    assert other.forget() + lost_jobs.forget() == [JOB]


def test_job_of_a_worker_that_hangs_is_lost_after_its_time(
    queues: Queues, clock: ActiveClock, lost_jobs: LostJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stopped process still listens, but it should have ended the job long ago.

    Time without a round does not count: while Redis is away, the worker waits as well.
    """
    pop(queues)
    begin(queues)

    with listening(queues.redis, WORKER):
        assert lost_jobs.forget() == []
        later = time.monotonic() + 10 * LONGEST
        monkeypatch.setattr(time, "monotonic", lambda: later)
        assert lost_jobs.forget() == []

        clock.seconds += LONGEST - 10
        assert lost_jobs.forget() == []
        clock.seconds += 11
        assert lost_jobs.forget() == [JOB]
        assert lost_jobs.forget() == []
