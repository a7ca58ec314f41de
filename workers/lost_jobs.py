"""Lost jobs: if a process died during a job, the match of the job is blamed.

The next job of the match might kill a process, too.
"""

import logging
from itertools import chain
from typing import Protocol

from service.matches import automation
from service.matches.context import Context
from service.ops.process.heartbeat import ActiveClock
from service.store.jobs.queues import Queues, match_of, process_of
from service.store.journal.values import Head

_log = logging.getLogger(__name__)

# A process without a worker for so many seconds counts as dead. After an outage of Redis a process
# has a new worker sooner: it waits 5 seconds for an answer and pauses for 2 seconds at most.
GONE_SECONDS = 15


class Blaming(Protocol):
    """Finds the jobs of dead processes."""

    def to_blame(self) -> list[str]:
        """Return the ids of the jobs found since the last call. Raises RedisError."""
        ...


def blame(ctx: Context, lost_jobs: Blaming) -> None:
    """Note the deaths of processes at the matches of their jobs. Raises RedisError."""
    for job_id in lost_jobs.to_blame():
        _log.warning("worker died during a job", extra={"job": job_id})
        _note_death(ctx, job_id)


def _note_death(ctx: Context, job_id: str) -> None:
    """Note the death of a process at a match, unless the match has moved on since."""
    match_id, version = match_of(job_id)
    [head] = ctx.journal.events.heads([match_id])
    if isinstance(head, Head) and head.version == version:
        automation.note(ctx, match_id, automation.WORKER_DIED)


class LostJobs:
    """The jobs left behind by processes that may have died.

    The matches of these jobs are still due. So the scheduler enqueues the matches again, and
    `Queues.put` finds the lost jobs. A process with a new worker within GONE_SECONDS has not died:
    an outage of Redis has ended its last worker. A pause without rounds counts as a second at most.
    """

    def __init__(self, queues: Queues, clock: ActiveClock | None = None) -> None:
        self._queues = queues
        self._clock = clock or ActiveClock()
        self._found: list[tuple[float, str, str]] = []  # time by `_clock`, job, process

    def to_blame(self) -> list[str]:
        """Return the ids of the jobs with a dead or hanging process, each once.

        Raises RedisError.
        """
        self._clock.tick()
        now = self._clock.seconds
        while self._queues.left_behind:
            job_id, worker = self._queues.left_behind.popleft()
            self._found.append((now, job_id, process_of(worker)))

        ripe = [entry for entry in self._found if entry[0] <= now - GONE_SECONDS]
        if not ripe:
            return []
        workers = chain.from_iterable(self._queues.workers().values())
        living = {process_of(worker) for worker in workers}
        self._found = self._found[len(ripe) :]
        return [job_id for _found_at, job_id, owner in ripe if owner not in living]
