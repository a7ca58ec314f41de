"""Jobs in the hands of the dead. RQ would notice them after minutes; a match may wait for seconds only."""

from collections.abc import Iterator

from rq import Queue
from rq.executions import Execution, ExecutionRegistry
from rq.job import Job
from rq.utils import as_text

from service.jobs.queues import Queues


class Lost:
    """The lost jobs of the queues; remembers from one round to the next which jobs were popped but not yet begun."""

    def __init__(self, queues: Queues) -> None:
        self._queues = queues
        self._popped: set[str] = set()

    def forget(self) -> list[str]:
        """Forget every job that a dead worker had popped or begun, so that the next wake makes it anew; return the ids.

        Whoever is taken for dead and is not does no harm: a job done twice appends once.
        """
        alive = self._queues.workers()
        popped = {
            name: set(queue.intermediate_queue.get_job_ids())
            for name, queue in self._queues.queues.items()
        }
        lost = []
        for name, queue in self._queues.queues.items():
            lost += [
                (queue, one) for one in _begun(queue) if _worker(one) not in {"", *alive[name]}
            ]
            lost += [
                (queue, Execution("", job, queue.connection)) for job in popped[name] & self._popped
            ]
        self._popped = set().union(*popped.values())
        for queue, execution in lost:
            _forget(queue, execution)
        return [execution.job_id for _queue, execution in lost]


def _begun(queue: Queue) -> Iterator[Execution]:
    for job, execution in queue.started_job_registry.get_job_and_execution_ids(cleanup=False):
        yield Execution(execution, job, queue.connection)


def _worker(execution: Execution) -> str:
    """Return the worker's name, "" if the job has just been done."""
    return as_text(execution.connection.hget(execution.key, "worker_name") or b"")


def _forget(queue: Queue, execution: Execution) -> None:
    job = execution.job_id
    with queue.connection.pipeline() as pipeline:
        queue.started_job_registry.remove_execution(execution, pipeline=pipeline)
        pipeline.lrem(queue.intermediate_queue_key, 1, job)
        pipeline.delete(
            execution.key, ExecutionRegistry(job, queue.connection).key, Job.key_for(job)
        )
        pipeline.execute()
