"""The processes of the service: each has a memory and a clock, and both may fail.

A crashing process loses all its memory, and its work stops at its present place. The work of
workers and the scheduler is the product's own: the jobs of `workers.jobs` and `workers.bots`,
and the rounds of `workers.scheduler`.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from service.base.errors import NotFound
from service.base.rounds import Outage
from service.capabilities.webhooks.jobs import Pool
from service.matches.context import Context, MatchCache
from service.matches.lifecycle import Patience
from service.store.jobs.table import HOUSE, WEBHOOK_JOBS
from service.store.journal.errors import JournalError
from service.store.journal.values import HOOK, Timer
from tests.simulation.checker import START_MS
from tests.simulation.kernel import MILLISECOND, SECOND, Died, Strand
from tests.simulation.queue import Job, SimulatedNotifications
from workers import app, bots, jobs
from workers.scheduler import IDLE_ROUNDS, ROUND_SECONDS, Plan, attempt, make_round

if TYPE_CHECKING:
    from tests.simulation.world import World

SECRET = b"s" * 32
LONGEST_RESTART = 3 * SECOND


class Process:
    """One process.

    skew: by how much its clock is ahead, in microseconds.
    """

    def __init__(self, world: "World", name: str) -> None:
        self.name = name
        self.skew = 0
        self.is_alive = True
        self._world = world
        self._births = 0
        self._inside: list[Strand] = []
        self._begin()

    @property
    def life(self) -> str:
        """The name of the process in this life. It has another one after a crash."""
        return f"{self.name}.{self._births}"

    def clock(self) -> int:
        """Return milliseconds since the epoch, as this process believes."""
        world = self._world
        if world.kernel.current is not None:
            world.kernel.pause(world.moment())
        return START_MS + (world.kernel.now + self.skew) // MILLISECOND

    @contextmanager
    def entered(self) -> Iterator[Context]:
        """Return a block for work in the process. Raises Died if it is dead, or crashes."""
        if not self.is_alive:
            raise Died
        strand = self._world.kernel.current
        assert strand is not None
        self._inside.append(strand)
        try:
            yield self.ctx
        finally:
            if strand in self._inside:
                self._inside.remove(strand)

    def crash(self, away: int | None = None) -> None:
        """Die, and be started again before long.

        away: after so many microseconds; None: a random time.
        """
        if not self.is_alive:
            return
        world = self._world
        world.say(f"{self.name}: crashes")
        self.is_alive = False

        inside = self._inside
        self._inside = []
        for strand in inside:
            world.queues.leave(strand)
            world.kernel.kill(strand)

        after = world.faults.up_to(LONGEST_RESTART) if away is None else away
        world.kernel.at(world.kernel.now + after, self.start)

    def start(self) -> None:
        """Begin again with an empty memory, unless it is alive."""
        if self.is_alive:
            return
        self._world.say(f"{self.name}: starts again")
        self.is_alive = True
        self._begin()

    def _begin(self) -> None:
        self._births += 1
        self.wakes = SimulatedNotifications(self._world)
        self.ctx = self._ctx()

    def _ctx(self) -> Context:
        world = self._world
        journal: Any = world.journal_of(self)
        sizes = world.plan.sizes
        return Context(
            journal=journal,
            secret=SECRET,
            clock=self.clock,
            enqueue=self._wake,
            allow_seed=True,
            cache=MatchCache(sizes.shelf, sizes.checkpoint),
        )

    def _wake(self, match_id: str, version: int, work: str) -> None:
        self._world.queues.enqueue(self, match_id, version, work)


ROUND = int(ROUND_SECONDS * SECOND)  # of the scheduler
SCHEDULER_AFTER_MS = 1000  # the default of GIORNALE_SCHEDULER_AFTER_MS


class Working(Process):
    """A process with work of its own, in one strand."""

    def work(self) -> None:
        """Work until the process dies."""
        raise NotImplementedError

    def _begin(self) -> None:
        super()._begin()
        work_in_this_life = partial(self._work_inside, self.life)
        self._world.kernel.spawn(self.life, work_in_this_life)

    def _work_inside(self, life: str) -> None:
        """Work until the process dies, unless it has died before this strand has begun."""
        if life != self.life:
            return
        with suppress(Died), self.entered():
            self.work()


class Worker(Working):
    """A worker of one queue."""

    def __init__(self, world: "World", name: str, queue: str) -> None:
        self._queue = queue
        super().__init__(world, name)

    def work(self) -> None:
        """Take one job after the other."""
        world = self._world
        while True:
            job = world.queues.take(self.life, self._queue)
            world.kernel.pause(world.travel())
            self._do(job)

    def _do(self, job: Job) -> None:
        """Do a job, and let the queue know how it ended."""
        world = self._world
        title = _title(world, job)
        try:
            self._call(job)
        except (JournalError, NotFound) as error:
            world.say(f"{self.name}: the job {title} failed: {error!r}")
            world.queues.failed(job)
        except Exception as error:  # noqa: BLE001 - nothing else may go wrong in a job
            world.checker.demand(False, f"a job failed inside the service: {title}: {error!r}")
            world.queues.failed(job)
        else:
            world.queues.done(job)

    def _call(self, job: Job) -> None:
        world = self._world
        world.say(f"{self.name}: begins {_title(world, job)}")
        if self._queue == WEBHOOK_JOBS:
            caller: Any = world.receiver
            timer = Timer(HOOK, job.match, 0, job.claimed_until)
            Pool(self.ctx, caller).see_to(timer)
        elif self._queue == HOUSE:
            jobs.act_with(self.ctx, job.match)
        else:
            bots.play_with(self.ctx, job.match)


class Scheduler(Working):
    """The scheduler: the rounds of workers.scheduler, one after the other."""

    def work(self) -> None:
        """Make one round after the other."""
        world = self._world
        patience_ms = world.plan.patience * 1000
        patience = Patience(open=patience_ms, running=patience_ms)
        plan = Plan(
            self.ctx,
            app.timer_kinds(self.ctx, world.queues, hooks=True),
            app.steps(self.ctx, world.queues, world.queues, SCHEDULER_AFTER_MS),
            app.look_of(self.ctx, patience),
        )
        outage = Outage(logging.getLogger(__name__), self.name)
        rounds = 0

        while True:
            world.kernel.pause(ROUND)
            looks_for_idle = rounds % IDLE_ROUNDS == 0
            has_ended_some = attempt(partial(make_round, plan, look=looks_for_idle), outage)
            rounds = 0 if has_ended_some else rounds + 1


def _title(world: "World", job: Job) -> str:
    """Return the title of a job, in a few words."""
    work, _, rest = job.id.partition("-")
    match_id, _, version = rest.partition("-")
    return f"{work} of {world.trace.name(match_id)} v{version}"
