"""The composition root of workers and scheduler: functions of jobs, and steps of rounds.

A process is either the worker of one queue or the scheduler, and opens only its own parts. No
module that such a process loads imports Flask.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol

from redis.exceptions import RedisError

from service.base.config import Config
from service.base.rounds import RoundThread
from service.bootstrap import open_archive, open_sequencer
from service.capabilities.archive.rounds import Archiving
from service.capabilities.clock import timers as clock_timers
from service.capabilities.log import rounds as log_rounds, witnesses
from service.capabilities.players import rounds as player_rounds
from service.capabilities.webhooks import jobs as webhook_jobs, timers as webhook_timers
from service.matches import automation, lifecycle
from service.matches.context import Context
from service.matches.journal_watch import note_file
from service.matches.lifecycle import HOUR, OfEnded, Patience, never_again
from service.matches.timers import Pulse, TimerKind
from service.store.jobs.counters import TIMES_RUN_OUT, WITNESS_CALLS, Counter
from service.store.jobs.queues import Queues, process_name
from service.store.jobs.table import ADVICE, AUDITS, BOTS, EXHIBITIONS, HOUSE, WEBHOOK_JOBS
from service.store.journal.values import CLOCK, HOOK
from workers import bots, jobs, process, scheduler, worker
from workers.journal_watch import JournalWatch
from workers.lost_jobs import Blaming, LostJobs, blame
from workers.process import StopOrder
from workers.scheduler import Plan, Schedule
from workers.timers import warn_of_skew
from workers.worker import Lane

SCHEDULER = "scheduler"


class SharedQueues(webhook_timers.HookQueues, Protocol):
    """The methods of the queues for the rounds of the scheduler."""

    def scheduler_beat(self, name: str) -> None:
        """Note that the scheduler of this name is at work. Raises RedisError."""
        ...

    def count(self, counter: Counter) -> None:
        """Add 1 to a counter that is not split by outcome. Raises RedisError."""
        ...


def run(kind: str) -> None:
    """Run a worker or the scheduler until SIGTERM or SIGINT. kind: a queue's name or SCHEDULER."""
    stop = StopOrder()
    stop.listen()
    if kind == SCHEDULER:
        scheduler.run(stop, open_schedule)
    else:
        worker.run(kind, stop, lambda: open_lane(kind, process.queues()))


# ---- workers -------------------------------------------------------------------------------------


def open_lane(queue: str, queues: Queues) -> Lane:
    """Return the lane of a worker: the queue of this name, and the function of its jobs.

    The jobs use the context and the queues of this process (`workers.process`).
    """
    deliveries = webhook_jobs.Deliveries(process.config, process.ctx, process.queues)
    functions: Mapping[str, Callable[..., None]] = {
        HOUSE: jobs.act,
        BOTS: bots.play,
        EXHIBITIONS: bots.play,
        AUDITS: jobs.audit,
        ADVICE: jobs.advise,
        WEBHOOK_JOBS: deliveries.deliver,
    }
    return Lane(queue, queues, functions[queue], deliveries.close)


# ---- the scheduler -------------------------------------------------------------------------------


def open_schedule() -> Schedule:
    """Return the schedule of this process as the scheduler."""
    config, ctx, queues = process.config(), process.ctx(), process.queues()
    lost_jobs = LostJobs(queues)
    watch = JournalWatch(ctx, note_file(config.data))
    archiving = open_archiving(config, ctx)
    of_ended = never_again if archiving is None else archiving.look
    plan = Plan(
        ctx,
        timer_kinds(ctx, queues, hooks=config.hooks),
        steps(ctx, queues, lost_jobs, config.scheduler_after_ms),
        look_of(ctx, patience_of(config), of_ended),
    )
    return Schedule(plan, watch.look, threads(config, ctx, queues, archiving))


def timer_kinds(ctx: Context, queues: SharedQueues, *, hooks: bool) -> Mapping[str, TimerKind]:
    """Return the kinds of timers by name. Each round handles them in this order.

    hooks: True if webhooks are switched on.
    """
    return {
        CLOCK: clock_timers.open_timers(ctx, partial(queues.count, TIMES_RUN_OUT)),
        HOOK: webhook_timers.open_timers(ctx, queues, is_on=hooks),
    }


def steps(
    ctx: Context, queues: SharedQueues, lost_jobs: Blaming, after_ms: int
) -> Sequence[Callable[[], object]]:
    """Return the steps of each round.

    after_ms: milliseconds that a pending match waits before its job is enqueued again.
    """
    return (
        partial(queues.scheduler_beat, f"scheduler-{process_name()}"),
        partial(blame, ctx, lost_jobs),
        partial(automation.sweep, ctx, after_ms),
    )


def look_of(
    ctx: Context, patience: Patience, of_ended: OfEnded = never_again
) -> Callable[[Pulse | None], int]:
    """Return the function for `Plan.look`. It warns of a clock skew and ends idle matches.

    of_ended: called for ended matches, such as the search for matches to archive.
    """

    def look(pulse: Pulse | None) -> int:
        warn_of_skew(pulse)
        return lifecycle.expire(ctx, patience, of_ended)

    return look


def patience_of(config: Config) -> Patience:
    """Return the time limits of idle matches in the settings."""
    return Patience(
        open=config.expire_open_hours * HOUR,
        running=config.expire_running_hours * HOUR,
    )


def open_archiving(config: Config, ctx: Context) -> Archiving | None:
    """Return the archiving of ended matches, None if `archive_after` is not set."""
    if not config.archive_after:
        return None
    return Archiving(ctx, open_archive(config), config.archive_after * HOUR)


def threads(
    config: Config, ctx: Context, queues: Queues, archiving: Archiving | None
) -> Iterator[RoundThread]:
    """Yield the threads in the order of their start. A thread is opened just before it is yielded.

    Raises BadProof for a wrong policy of witnesses.
    """
    if archiving is not None:
        yield archiving
    yield log_rounds.open_rounds(ctx, open_sequencer(config, ctx))
    yield player_rounds.open_rounds(ctx)

    def count(outcome: str) -> None:
        with suppress(RedisError):
            queues.count(WITNESS_CALLS, outcome)

    if config.log_policy:
        yield witnesses.open_rounds(config.log_policy, ctx, count)
