"""The timers of webhooks: a due timer becomes a job, and a worker makes the calls."""

from collections.abc import Sequence
from typing import Protocol

from redis.exceptions import RedisError

from service.matches.context import Context
from service.matches.timers import Pulse, TimerKind
from service.store.jobs.table import WEBHOOK_JOBS
from service.store.journal.values import Timer

LEASE_MS = 30_000  # longer than one call takes; another process makes none twice
MOST_HOOK_JOBS = 1_000  # that wait for a worker
AWAY_MS = 1_000  # until a match is tried again whose webhooks the queues have not taken
SWITCHED_OFF_MS = 3_600_000  # from one look to the next whether webhooks are called by now


class HookQueues(Protocol):
    """The queues, as far as these timers need them."""

    def depth(self, name: str) -> int:
        """Return the number of jobs that wait in a queue; raises RedisError."""
        ...

    def put(self, name: str, job_id: str, *arguments: str | int) -> None:
        """Put a job into a queue, unless a job of this id is there; raises RedisError."""
        ...


def open_timers(ctx: Context, queues: HookQueues, *, is_on: bool) -> TimerKind:
    """Return the kind of webhooks' timers. `is_on`: the settings switch webhooks on."""
    return TimerKind(LEASE_MS, HookTimers(ctx, queues, is_on=is_on).handle)


class HookTimers:
    """Has workers call the webhooks of matches."""

    def __init__(self, ctx: Context, queues: HookQueues, *, is_on: bool) -> None:
        self._ctx = ctx
        self._queues = queues
        self._is_on = is_on

    def handle(self, timers: Sequence[Timer], _pulse: Pulse | None) -> None:
        """Enqueue a job for each timer; raises RedisError.

        Timers that the queues have not taken, because they are away, need not wait for their lease.
        """
        taken = 0
        try:
            for timer in timers:
                self._enqueue(timer)
                taken += 1
        except RedisError:
            for timer in timers[taken:]:
                self._ctx.journal.timers.settle(timer, AWAY_MS)
            raise

    def _enqueue(self, timer: Timer) -> None:
        """Have a worker call the webhooks of a match.

        Where none are called they stay due, for the day on which they are switched on. So do those
        that no worker takes, since each of their leases would leave one more job.
        """
        if not self._is_on:
            self._ctx.journal.timers.settle(timer, SWITCHED_OFF_MS)
            return
        if self._queues.depth(WEBHOOK_JOBS) >= MOST_HOOK_JOBS:
            return
        job_id = f"hook-{timer.match}-{timer.claimed_until}"
        self._queues.put(WEBHOOK_JOBS, job_id, timer.match, timer.claimed_until)
