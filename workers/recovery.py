"""Recover jobs of workers that died, or that hang.

RQ notices such jobs after minutes; a match may wait for seconds only.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from rq import Queue
from rq.executions import Execution, ExecutionRegistry
from rq.job import Job
from rq.utils import as_text

from service.jobs.queues import TIMEOUTS, Queues

GRACE_SECONDS = 10  # that a job may take longer than a worker lets it

_NO_EXECUTION = ""


@dataclass(frozen=True, slots=True)
class _Job:
    """A job that a worker has popped or begun.

    execution_id: "" for a job that it has not begun.
    """

    queue: Queue
    job_id: str
    execution_id: str


class LostJobs:
    """Finds and forgets lost jobs, round after round.

    It remembers from one round to the next which jobs were popped but not begun, and when it saw
    an execution first, in seconds of `clock`.
    """

    def __init__(self, queues: Queues, clock: Callable[[], float] = time.monotonic) -> None:
        self._queues = queues
        self._clock = clock
        self._popped_before: set[str] = set()
        self._seen_first: dict[str, float] = {}

    def forget(self) -> list[str]:
        """Forget every job that a dead worker had popped or begun, and return their ids.

        A job whose worker should have ended it long ago counts as well: that worker hangs. The next
        wake makes such a job anew. A worker that is taken for dead and lives does no harm: a job
        done twice appends once.
        """
        # The living are listed first: a worker that begins a job after this is not taken for dead.
        living = set(chain.from_iterable(self._queues.workers().values()))
        popped_now: set[str] = set()
        begun_now: dict[str, float] = {}
        lost: list[_Job] = []

        for name, queue in self._queues.queues.items():
            longest = TIMEOUTS[name] + GRACE_SECONDS
            for job in _begun(queue):
                began = self._seen_first.get(job.execution_id, self._clock())
                begun_now[job.execution_id] = began
                hangs = self._clock() - began > longest
                if hangs or _is_of_the_dead(job, living):
                    lost.append(job)

            popped = set(queue.intermediate_queue.get_job_ids())
            popped_now |= popped
            never_begun = popped & self._popped_before
            lost += [_Job(queue, job_id, _NO_EXECUTION) for job_id in never_begun]

        self._popped_before = popped_now
        self._seen_first = begun_now
        for job in lost:
            _forget(job)
        return [job.job_id for job in lost]


def _begun(queue: Queue) -> list[_Job]:
    """Return the jobs of a queue that were begun, lost or not."""
    begun = queue.started_job_registry.get_job_and_execution_ids(cleanup=False)
    return [_Job(queue, job_id, execution_id) for job_id, execution_id in begun]


def _is_of_the_dead(job: _Job, living: set[str]) -> bool:
    """Return whether a job was begun by a worker that is not among the living."""
    execution = Execution(job.execution_id, job.job_id, job.queue.connection)
    worker = _worker_of(execution)
    return worker != "" and worker not in living


def _worker_of(execution: Execution) -> str:
    """Return the name of the worker that began an execution, "" if it has just ended."""
    name = execution.connection.hget(execution.key, "worker_name")
    return as_text(name or b"")


def _forget(lost: _Job) -> None:
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
