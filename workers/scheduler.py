"""The scheduler: a loop over timers and steps, beside threads for rounds that may be slow.

Each round sees to the timers first, because time needs no queue. Then come the steps: matches that
have waited too long are enqueued again. Each IDLE_ROUNDS-th round also ends idle matches.

Two schedulers at once do no harm: the same job is enqueued once, and a job done twice appends once.
A scheduler that dies leaves all claims to their leases, and the next one finds the rest.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from redis.exceptions import RedisError

from service.base.rounds import Outage, RoundThread
from service.matches.context import Context
from service.matches.timers import Pulse, TimerKind
from service.ops.process import heartbeat
from service.store.journal.errors import JournalUnavailable
from workers.process import StopOrder
from workers.timers import see_to_timers

_log = logging.getLogger(__name__)

ROUND_SECONDS = 0.5
IDLE_ROUNDS = 20  # from one look for idle matches to the next


@dataclass(frozen=True, slots=True)
class Plan:
    """All that the rounds of a scheduler do.

    timers: kinds by name; each round sees to them in this order.
    steps: calls of each round after its timers, in order.
    look: called by each IDLE_ROUNDS-th round after its steps; returns the number of matches that it
        has ended.
    """

    ctx: Context
    timers: Mapping[str, TimerKind]
    steps: Sequence[Callable[[], object]]
    look: Callable[[Pulse | None], int]


@dataclass(frozen=True, slots=True)
class Schedule:
    """All that a scheduler does.

    watch: called after each round, even after one that failed.
    threads: opened and started in this order, and stopped in reverse order.
    """

    plan: Plan
    watch: Callable[[], None]
    threads: Iterable[RoundThread]


def run(stop: StopOrder, open_schedule: Callable[[], Schedule]) -> None:
    """Work round after round until the order to stop."""
    schedule = open_schedule()
    threads: list[RoundThread] = []
    for thread in schedule.threads:
        thread.start()
        threads.append(thread)
    outage = Outage(_log, "the scheduler")
    rounds = 0
    pause = 0.0  # the first round is made at once: the time of somebody may have run out
    _log.info("the scheduler is ready")

    while not stop.wait(pause):
        pause = ROUND_SECONDS
        look = rounds % IDLE_ROUNDS == 0
        ended = attempt(partial(make_round, schedule.plan, look=look), outage)
        schedule.watch()
        heartbeat.beat()
        # Where some matches were ended more may be due, so the next round looks again.
        rounds = 0 if ended else rounds + 1

    for thread in reversed(threads):
        thread.stop()
    _log.info("the scheduler has stopped")


def attempt(one_round: Callable[[], int], outage: Outage) -> int:
    """Make one round; return the number of matches that it has ended.

    If Redis does not answer, or refuses to write, leave the rest to the next round.
    """
    try:
        ended = one_round()
    except (RedisError, JournalUnavailable) as error:
        outage.begin(error)
        return 0

    outage.end()
    return ended


def make_round(plan: Plan, *, look: bool = True) -> int:
    """Make one round, with its look if `look`; return the number of matches that were ended.

    Raises RedisError and JournalUnavailable.
    """
    pulse = see_to_timers(plan.ctx, plan.timers)
    for step in plan.steps:
        step()
    return plan.look(pulse) if look else 0
