"""Jobs of dead workers are forgotten within two rounds; those of the living are left alone."""

import pytest
from rq.executions import Execution

from service.jobs.queues import SCORING, TIMEOUTS, Queues
from workers.recovery import GRACE_SECONDS, LostJobs

JOB = "house-m-7"
WORKER = "scoring-h-1"
EXECUTION_SECONDS = 60


@pytest.fixture
def queues(redis_url: str) -> Queues:
    """Queues with one job."""
    with_a_job = Queues(redis_url)
    with_a_job.wake("m", 7, "house")
    return with_a_job


def pop(queues: Queues) -> None:
    """Pop the job as a worker does."""
    queue = queues.queues[SCORING]
    popped = queues.redis.lmove(queue.key, queue.intermediate_queue_key)
    assert popped == JOB.encode()


def begin(queues: Queues) -> None:
    """Begin the job as a worker does."""
    queue = queues.queues[SCORING]
    job = queue.fetch_job(JOB)
    assert job is not None

    with queues.redis.pipeline() as pipeline:
        Execution.create(job, EXECUTION_SECONDS, pipeline, worker_name=WORKER)
        job.prepare_for_execution(WORKER, pipeline)
        pipeline.lrem(queue.intermediate_queue_key, 1, JOB)
        pipeline.execute()


def rounds(queues: Queues, number: int) -> list[list[str]]:
    """Return the jobs that are forgotten in each of so many rounds."""
    lost_jobs = LostJobs(queues)
    return [lost_jobs.forget() for _ in range(number)]


def test_waiting_job_is_not_lost(queues: Queues) -> None:
    """A job that nobody has popped stays in its queue, round after round."""
    assert rounds(queues, 3) == [[], [], []]
    assert queues.depths()[SCORING] == 1


def test_job_popped_but_never_begun_is_lost_in_the_second_round(queues: Queues) -> None:
    """Its worker died between two commands; a round of grace tells it from one just being begun."""
    pop(queues)
    assert rounds(queues, 3) == [[], [JOB], []]


def test_job_begun_by_a_dead_worker_is_lost_at_once(queues: Queues) -> None:
    """No living worker has the name of the one that began it."""
    pop(queues)
    begin(queues)
    assert rounds(queues, 2) == [[JOB], []]


def test_job_begun_by_a_living_worker_is_not_lost(queues: Queues) -> None:
    """However long it takes."""
    pop(queues)
    begin(queues)
    queues.redis.sadd("rq:workers:scoring", f"rq:worker:{WORKER}")

    with queues.redis.pubsub() as listening:  # type: ignore[no-untyped-call]
        listening.subscribe(f"rq:pubsub:{WORKER}")
        listening.get_message(timeout=5)
        assert LostJobs(queues).forget() == []


def test_job_of_a_worker_that_hangs_is_lost_after_its_time(queues: Queues) -> None:
    """A stopped process still listens, but it should have ended the job long ago."""
    seconds = 0.0
    lost_jobs = LostJobs(queues, clock=lambda: seconds)
    pop(queues)
    begin(queues)

    with queues.redis.pubsub() as listening:  # type: ignore[no-untyped-call]
        listening.subscribe(f"rq:pubsub:{WORKER}")
        listening.get_message(timeout=5)
        queues.redis.sadd("rq:workers:scoring", f"rq:worker:{WORKER}")

        assert lost_jobs.forget() == []
        seconds = TIMEOUTS[SCORING] + GRACE_SECONDS
        assert lost_jobs.forget() == []
        seconds += 1
        assert lost_jobs.forget() == [JOB]
        assert lost_jobs.forget() == []


@pytest.mark.parametrize("begun", [False, True], ids=["popped", "begun"])
def test_lost_job_can_be_woken_again(queues: Queues, begun: bool) -> None:
    """Until it is forgotten its id blocks the wake; afterwards nothing of it is left."""
    pop(queues)
    if begun:
        begin(queues)
    queues.wake("m", 7, "house")
    assert queues.depths()[SCORING] == 0

    rounds(queues, 2)
    for pattern in ("rq:job:*", "rq:wip:*", "*:intermediate"):
        assert not queues.redis.keys(pattern)

    queues.wake("m", 7, "house")
    assert queues.depths()[SCORING] == 1
