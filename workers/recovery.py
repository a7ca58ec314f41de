"""Recover jobs of workers that died, or that hang.

RQ notices such jobs after minutes; a match may wait for seconds only.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from rq import Queue
from rq.executions import Execution, ExecutionRegistry
from rq.job import Job

from service.jobs.queues import TIMEOUTS, Queues, process_of, text_of, unless_wrong_type
from service.process.heartbeat import ActiveClock
from workers.allowed_jobs import LONGEST_ID

_log = logging.getLogger(__name__)

GRACE_SECONDS = 10  # that a job may take longer than a worker lets it

# A process without a worker for so long is gone. One that an outage of Redis has hindered has a new
# worker before: it waits 5 seconds for an answer and pauses for 2 at most.
GONE_SECONDS = 15

_NO_EXECUTION = ""


@dataclass(frozen=True, slots=True)
class _Job:
    """A job that a worker has popped or begun.

    execution_id: "" for a job that it has not begun.
    worker: the name of the worker that has begun it, "" for one that is unknown or has just ended.
    """

    queue: Queue
    job_id: str
    execution_id: str = _NO_EXECUTION
    worker: str = ""


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A job that was left behind, and the process that may have died at it.

    since: when that process was first seen without a worker, in seconds of the keeper's clock.
    """

    job_id: str
    process: str
    since: float


class LostJobs:
    """Finds and forgets lost jobs, round after round.

    It remembers from one round to the next which jobs were popped but not begun, when it saw an
    execution first, and whose process may be gone. Time in which no round was made does not count:
    while Redis is away, nobody is late.
    """

    def __init__(self, queues: Queues, clock: ActiveClock | None = None) -> None:
        self._queues = queues
        self._clock = clock or ActiveClock()
        self._popped_before: set[str] = set()
        self._seen_first: dict[str, float] = {}
        self._suspects: list[_Suspect] = []

    def forget(self) -> list[str]:
        """Forget every lost job, and return the ids of those at which a process has died or hangs.

        Lost is what a dead worker had popped or begun, or what its worker should have ended long
        ago. The next wake makes such a job anew. A worker that is taken for dead and lives does no
        harm: a job done twice appends once.
        """
        self._clock.tick()
        # The living are listed afterwards: a worker that starts meanwhile is not taken for dead.
        begun = [job for queue in self._queues.queues.values() for job in _begun(queue)]
        living = set(chain.from_iterable(self._queues.workers().values()))
        late = self._late(begun)
        never_begun = self._never_begun(begun)

        hanging = [job.job_id for job in late if _forget(job) and job.worker in living]
        for job in begun:
            if job.worker and job.worker not in living and _forget(job):
                self._suspect(job)
        for job in never_begun:
            _forget(job)
        return hanging + self._gone(living)

    def _late(self, begun: Iterable[_Job]) -> list[_Job]:
        """Return the jobs that their workers should have ended long ago."""
        now = self._clock.seconds
        self._seen_first = {
            job.execution_id: self._seen_first.get(job.execution_id, now) for job in begun
        }
        return [
            job
            for job in begun
            if now - self._seen_first[job.execution_id] > TIMEOUTS[job.queue.name] + GRACE_SECONDS
        ]

    def _never_begun(self, begun: Iterable[_Job]) -> list[_Job]:
        """Return the jobs that were popped a round ago, and that nobody has begun."""
        begun_ids = {job.job_id for job in begun}
        popped = [
            _Job(queue, job_id)
            for queue in self._queues.queues.values()
            for job_id in _popped(queue)
            if job_id not in begun_ids
        ]
        known = self._popped_before
        self._popped_before = {job.job_id for job in popped}
        return [job for job in popped if job.job_id in known]

    def _suspect(self, job: _Job) -> None:
        """Note that a process may have died at a job."""
        process = process_of(job.worker)
        self._suspects.append(_Suspect(job.job_id, process, self._clock.seconds))

    def _gone(self, living: Iterable[str]) -> list[str]:
        """Return the jobs whose process has had no worker for so long that it must be gone."""
        processes = {process_of(worker) for worker in living}
        self._suspects = [one for one in self._suspects if one.process not in processes]

        long_ago = self._clock.seconds - GONE_SECONDS
        gone = [one.job_id for one in self._suspects if one.since <= long_ago]
        self._suspects = [one for one in self._suspects if one.since > long_ago]
        return gone


def _popped(queue: Queue) -> list[str]:
    """Return the ids of the jobs that workers have popped from a queue and not begun."""
    place = queue.intermediate_queue_key
    ids = unless_wrong_type(lambda: queue.connection.lrange(place, 0, -1), ())
    return [text_of(job_id) for job_id in ids]


def _begun(queue: Queue) -> list[_Job]:
    """Return the jobs of a queue that were begun, lost or not."""
    place = queue.started_job_registry.key
    entries = unless_wrong_type(lambda: queue.connection.zrange(place, 0, -1), ())
    return [_begun_job(queue, text_of(entry)) for entry in entries]


def _begun_job(queue: Queue, entry: str) -> _Job:
    """Return the job of an entry "<job>:<execution>" in RQ's registry of what was begun."""
    job_id, _, execution_id = entry.partition(":")
    execution = Execution(execution_id, job_id, queue.connection)
    name = unless_wrong_type(lambda: queue.connection.hget(execution.key, "worker_name"), None)
    return _Job(queue, job_id, execution_id, worker=text_of(name or b""))


def _forget(lost: _Job) -> bool:
    """Remove all that RQ keeps of a job, in one transaction; return whether it was there.

    It was not if another keeper was faster.
    """
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
        was_begun, was_popped, _keys = pipeline.execute()

    was_there = bool(was_begun or was_popped)
    if was_there:
        _log.warning("a job was lost", extra={"job": lost.job_id[:LONGEST_ID]})
    return was_there
