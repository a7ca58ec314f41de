"""Recover jobs of workers that died.

RQ notices such jobs after minutes; a match may wait for seconds only.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rq import Queue
from rq.executions import Execution, ExecutionRegistry
from rq.job import Job
from rq.utils import as_text

from service.jobs.queues import Queues

_NO_EXECUTION = ""


@dataclass(frozen=True, slots=True)
class _LostJob:
    """A job that a dead worker had popped or begun.

    execution_id: "" for a job that it had not begun.
    """

    queue: Queue
    job_id: str
    execution_id: str


class LostJobs:
    """Finds and forgets lost jobs, round after round.

    It remembers from one round to the next which jobs were popped but not begun.
    """

    def __init__(self, queues: Queues) -> None:
        self._queues = queues
        self._popped_before: set[str] = set()

    def forget(self) -> list[str]:
        """Forget every job that a dead worker had popped or begun, and return their ids.

        The next wake makes such a job anew. A worker that is taken for dead and lives does no
        harm: a job done twice appends once.
        """
        # The living are listed first: a worker that begins a job after this is not taken for dead.
        living = self._queues.workers()
        popped_now: set[str] = set()
        lost: list[_LostJob] = []

        for name, queue in self._queues.queues.items():
            lost += _begun_by_the_dead(queue, living[name])

            popped = set(queue.intermediate_queue.get_job_ids())
            popped_now |= popped
            for job_id in popped & self._popped_before:
                lost.append(_LostJob(queue, job_id, _NO_EXECUTION))

        self._popped_before = popped_now
        for job in lost:
            _forget(job)
        return [job.job_id for job in lost]


def _begun_by_the_dead(queue: Queue, living: list[str]) -> Iterator[_LostJob]:
    """Yield the jobs of a queue that were begun by a worker which is not among the living."""
    begun = queue.started_job_registry.get_job_and_execution_ids(cleanup=False)
    for job_id, execution_id in begun:
        worker = _worker_of(Execution(execution_id, job_id, queue.connection))
        if worker and worker not in living:
            yield _LostJob(queue, job_id, execution_id)


def _worker_of(execution: Execution) -> str:
    """Return the name of the worker that began an execution, "" if it has just ended."""
    name = execution.connection.hget(execution.key, "worker_name")
    return as_text(name or b"")


def _forget(lost: _LostJob) -> None:
    """Remove all that RQ keeps of a job, in one transaction."""
    queue = lost.queue
    registry = queue.started_job_registry
    execution = Execution(lost.execution_id, lost.job_id, queue.connection)
    executions = ExecutionRegistry(lost.job_id, queue.connection)

    with queue.connection.pipeline() as pipeline:
        registry.remove_execution(execution, pipeline=pipeline)
        pipeline.lrem(queue.intermediate_queue_key, 1, lost.job_id)
        pipeline.delete(
            execution.key,
            executions.key,
            Job.key_for(lost.job_id),
        )
        pipeline.execute()
