"""The scheduler: a loop of rounds, beside threads for work that may be slow.

Each round handles due timers first, because they need no queue. Then the round calls the steps. One
step enqueues again the matches that have waited too long. Each IDLE_ROUNDS-th round also ends idle
matches.

Two schedulers may run at the same time. Both enqueue a job under the same id, and a job done twice
appends once. If a scheduler dies, its claims on timers expire. The next scheduler does the rest.
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
IDLE_ROUNDS = 20  # rounds from one look for idle matches to the next


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of the rounds of a scheduler.

    timers: kinds of timers by name. Each round handles the kinds in this order.
    steps: called in each round after the timers, in this order.
    look: called in each IDLE_ROUNDS-th round after the steps. Returns the number of matches that it
    has ended.
    """

    ctx: Context
    timers: Mapping[str, TimerKind]
    steps: Sequence[Callable[[], object]]
    look: Callable[[Pulse | None], int]


@dataclass(frozen=True, slots=True)
class Schedule:
    """The work of a scheduler.

    watch: called after each round, even after a failed one.
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
    outage = Outage(_log, "scheduler")
    rounds = 0
    pause = 0.0  # make the first round at once, since clocks may have run out
    _log.info("scheduler ready")

    while not stop.wait(pause):
        pause = ROUND_SECONDS
        look = rounds % IDLE_ROUNDS == 0
        ended = attempt(partial(make_round, schedule.plan, look=look), outage)
        schedule.watch()
        heartbeat.beat()
        # More idle matches may be left than one look can end. So look again in the next round.
        rounds = 0 if ended else rounds + 1

    for thread in reversed(threads):
        thread.stop()
    _log.info("scheduler stopped")


def attempt(one_round: Callable[[], int], outage: Outage) -> int:
    """Make one round. Return the number of matches that it has ended.

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
    """Make one round. Return the number of matches that it has ended.

    look: True to call the plan's `look` after the steps.

    Raises RedisError and JournalUnavailable.
    """
    pulse = see_to_timers(plan.ctx, plan.timers)
    for step in plan.steps:
        step()
    return plan.look(pulse) if look else 0
