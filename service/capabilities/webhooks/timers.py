"""Webhook timers: a due timer becomes a job, and a worker makes the calls."""

from collections.abc import Sequence
from typing import Protocol

from redis.exceptions import RedisError

from service.matches.context import Context
from service.matches.timers import Pulse, TimerKind
from service.store.jobs.table import WEBHOOK_JOBS
from service.store.journal.values import Timer

LEASE_MS = 30_000  # longer than one call takes, so no other process repeats the call
MOST_HOOK_JOBS = 1_000  # queued at once
AWAY_MS = 1_000  # until the retry of a timer that the queues did not take
SWITCHED_OFF_MS = 3_600_000  # between two looks at a timer while webhooks are switched off


class HookQueues(Protocol):
    """The part of the queues that these timers need."""

    def depth(self, name: str) -> int:
        """Return the number of queued jobs. Raises RedisError."""
        ...

    def put(self, name: str, job_id: str, *arguments: str | int) -> None:
        """Enqueue a job, unless one with this id is stored. Raises RedisError."""
        ...


def open_timers(ctx: Context, queues: HookQueues, *, is_on: bool) -> TimerKind:
    """Return the kind of webhook timers. `is_on`: True if the settings switch webhooks on."""
    return TimerKind(LEASE_MS, HookTimers(ctx, queues, is_on=is_on).handle)


class HookTimers:
    """Has workers call the webhooks of matches."""

    def __init__(self, ctx: Context, queues: HookQueues, *, is_on: bool) -> None:
        self._ctx = ctx
        self._queues = queues
        self._is_on = is_on

    def handle(self, timers: Sequence[Timer], _pulse: Pulse | None) -> None:
        """Enqueue a job for each timer. Raises RedisError.

        If the queues fail, the timers without a job are due again after AWAY_MS.
        """
        count = 0
        try:
            for timer in timers:
                self._enqueue(timer)
                count += 1
        except RedisError:
            for timer in timers[count:]:
                self._ctx.journal.timers.settle(timer, AWAY_MS)
            raise

    def _enqueue(self, timer: Timer) -> None:
        """Enqueue a job for the webhooks of a match.

        While webhooks are switched off, the timer is rescheduled, for the day when they are
        switched on. With MOST_HOOK_JOBS queued, no job is added, and the timer is due again after
        its lease. Without this limit each lease would add a job.
        """
        if not self._is_on:
            self._ctx.journal.timers.settle(timer, SWITCHED_OFF_MS)
            return
        if self._queues.depth(WEBHOOK_JOBS) >= MOST_HOOK_JOBS:
            return
        job_id = f"hook-{timer.match}-{timer.claimed_until}"
        self._queues.put(WEBHOOK_JOBS, job_id, timer.match, timer.claimed_until)
