"""Lost jobs: a match at which a process has died is blamed: it might kill the next one, too."""

import logging
from itertools import chain
from typing import Protocol

from service.matches import automation
from service.matches.context import Context
from service.ops.process.heartbeat import ActiveClock
from service.store.jobs.queues import Queues, match_of, process_of
from service.store.journal.values import Head

_log = logging.getLogger(__name__)

# A process without a worker for so long is gone. One that an outage of Redis has hindered has a new
# worker before: it waits 5 seconds for an answer and pauses for 2 at most.
GONE_SECONDS = 15


class Blaming(Protocol):
    """Finds the jobs at which processes have died."""

    def to_blame(self) -> list[str]:
        """Return the ids of those that were found since the last call; raises RedisError."""
        ...


def blame(ctx: Context, lost_jobs: Blaming) -> None:
    """Note of each match that a process died at its job; raises RedisError."""
    for job_id in lost_jobs.to_blame():
        _log.warning("a worker died at work", extra={"job": job_id})
        _note_death(ctx, job_id)


def _note_death(ctx: Context, job_id: str) -> None:
    """Note that a process died at a match, unless the match has moved on since."""
    match_id, version = match_of(job_id)
    [head] = ctx.journal.events.heads([match_id])
    if isinstance(head, Head) and head.version == version:
        automation.note(ctx, match_id, automation.WORKER_DIED)


class LostJobs:
    """The jobs that were left behind, and whether their matches are to blame.

    The sweep finds them: their matches are still due, and `queues` puts them there anew. A process
    that comes back within GONE_SECONDS has not died: an outage of Redis has hindered its worker.
    Time in which no round was made does not count.
    """

    def __init__(self, queues: Queues, clock: ActiveClock | None = None) -> None:
        self._queues = queues
        self._clock = clock or ActiveClock()
        self._found: list[tuple[float, str, str]] = []  # when, by that clock; job; its process

    def to_blame(self) -> list[str]:
        """Return the ids of the jobs at which a process has died or hangs, each once.

        Raises RedisError.
        """
        self._clock.tick()
        now = self._clock.seconds
        while self._queues.left_behind:
            job_id, worker = self._queues.left_behind.popleft()
            self._found.append((now, job_id, process_of(worker)))

        ripe = [found for found in self._found if found[0] <= now - GONE_SECONDS]
        if not ripe:
            return []
        workers = chain.from_iterable(self._queues.workers().values())
        living = {process_of(worker) for worker in workers}
        self._found = self._found[len(ripe) :]
        return [job_id for _found_at, job_id, owner in ripe if owner not in living]
