"""Jobs in the hands of dead workers are forgotten within two rounds; those of the living are left alone."""

import pytest
from rq.executions import Execution

from service.jobs.queues import SCORING, Queues
from workers.recovery import LostJobs

JOB = "house-m-7"


@pytest.fixture
def queues(redis_url: str) -> Queues:
    """Queues with one job."""
    made = Queues(redis_url)
    made.wake("m", 7, "house")
    return made


def pop(queues: Queues) -> None:
    """Pop the job as a worker does."""
    queue = queues.queues[SCORING]
    assert queues.redis.lmove(queue.key, queue.intermediate_queue_key) == JOB.encode()


def begin(queues: Queues, worker: str) -> None:
    """Begin the job as a worker does."""
    queue = queues.queues[SCORING]
    job = queue.fetch_job(JOB)
    assert job is not None
    with queues.redis.pipeline() as pipeline:
        Execution.create(job, 60, pipeline, worker_name=worker)
        job.prepare_for_execution(worker, pipeline)
        pipeline.lrem(queue.intermediate_queue_key, 1, JOB)
        pipeline.execute()


def test_waiting_job_is_not_lost(queues: Queues) -> None:
    """A job that nobody has popped stays in its queue, round after round."""
    lost = LostJobs(queues)
    assert [lost.forget() for _ in range(3)] == [[], [], []]
    assert queues.depths()[SCORING] == 1


def test_job_popped_but_never_begun_is_lost_in_the_second_round(queues: Queues) -> None:
    """Its worker died between two commands; one round of grace tells it from a job that is just being begun."""
    pop(queues)
    lost = LostJobs(queues)
    assert [lost.forget() for _ in range(3)] == [[], [JOB], []]


def test_job_begun_by_a_dead_worker_is_lost_at_once(queues: Queues) -> None:
    """No living worker has the name of the one that began it."""
    pop(queues)
    begin(queues, "scoring-h-1")
    lost = LostJobs(queues)
    assert [lost.forget() for _ in range(2)] == [[JOB], []]


def test_job_begun_by_a_living_worker_is_not_lost(queues: Queues) -> None:
    """However long it takes."""
    pop(queues)
    begin(queues, "scoring-h-1")
    queues.redis.sadd("rq:workers:scoring", "rq:worker:scoring-h-1")
    with queues.redis.pubsub() as listening:  # type: ignore[no-untyped-call]
        listening.subscribe("rq:pubsub:scoring-h-1")
        listening.get_message(timeout=5)
        assert LostJobs(queues).forget() == []


@pytest.mark.parametrize("begun", [False, True], ids=["popped", "begun"])
def test_lost_job_can_be_woken_again(queues: Queues, begun: bool) -> None:
    """As long as it is not forgotten its id blocks the wake; afterwards nothing of it is left."""
    pop(queues)
    if begun:
        begin(queues, "scoring-h-1")
    queues.wake("m", 7, "house")
    assert queues.depths()[SCORING] == 0
    lost = LostJobs(queues)
    lost.forget()
    lost.forget()
    assert (
        not queues.redis.keys("rq:job:*")
        + queues.redis.keys("rq:wip:*")
        + queues.redis.keys("*:intermediate")
    )
    queues.wake("m", 7, "house")
    assert queues.depths()[SCORING] == 1
