"""The processes of the service: each with a memory and a clock of its own, both of which may fail.

A process that crashes loses all that it remembers, and whatever it was doing stops where it is.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from service.errors import NotFound
from service.jobs.queues import SCORING
from service.journal.errors import JournalError
from service.matches.desk import Desk
from service.matches.expiry import Patience
from service.matches.shelf import Shelf
from tests.simulation.kernel import MILLISECOND, SECOND, Died, Strand
from tests.simulation.queue import Job
from tests.simulation.wakes import SimulatedWakes
from workers import bots, scoring
from workers.keeper import IDLE_ROUNDS, ROUND_SECONDS, Rules, attempt, keep
from workers.outage import Outage

if TYPE_CHECKING:
    from tests.simulation.world import World

START_MS = 1_700_000_000_000  # when a run begins, in milliseconds since the epoch
ROUND = int(ROUND_SECONDS * SECOND)  # of the keeper
KEEPER_AFTER_MS = 1000  # as GIORNALE_KEEPER_AFTER has it where nobody sets it
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
        """The name of the process in this life; it has another one after a crash."""
        return f"{self.name}.{self._births}"

    def clock(self) -> int:
        """Return milliseconds since the epoch, as this process believes."""
        world = self._world
        if world.kernel.current is not None:
            world.kernel.pause(world.moment())
        return START_MS + (world.kernel.now + self.skew) // MILLISECOND

    @contextmanager
    def entered(self) -> Iterator[Desk]:
        """Return a block in which the current strand is at work inside; Died ends it."""
        if not self.is_alive:
            raise Died
        strand = self._world.kernel.current
        assert strand is not None
        self._inside.append(strand)
        try:
            yield self.desk
        finally:
            if strand in self._inside:
                self._inside.remove(strand)

    def crash(self) -> None:
        """Die, and be started again before long."""
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

        after = world.faults.up_to(LONGEST_RESTART)
        world.kernel.at(world.kernel.now + after, self.start)

    def start(self) -> None:
        """Begin again with an empty memory, unless that has happened before."""
        if self.is_alive:
            return
        self._world.say(f"{self.name}: starts again")
        self.is_alive = True
        self._begin()

    def work(self) -> None:
        """Do what the process does by itself; a web process only answers."""

    def _begin(self) -> None:
        self._births += 1
        self.wakes = SimulatedWakes(self._world)
        self.desk = self._desk()

    def _desk(self) -> Desk:
        world = self._world
        journal: Any = world.journal_of(self)
        return Desk(
            journal=journal,
            secret=SECRET,
            clock=self.clock,
            wake=self._wake,
            allow_seed=True,
            shelf=Shelf(world.plan.sizes.shelf),
        )

    def _wake(self, match_id: str, version: int, work: str) -> None:
        self._world.queues.wake(self, match_id, version, work)

    def _work_inside(self, life: str) -> None:
        """Work until the process dies, unless it has died before this strand has begun."""
        if life != self.life:
            return
        with suppress(Died), self.entered():
            self.work()


class _Working(Process):
    """A process with work of its own, in a strand of its own."""

    def _begin(self) -> None:
        super()._begin()
        self._world.kernel.spawn(self.life, partial(self._work_inside, self.life))


class Worker(_Working):
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
            try:
                self._do(job)
            except (JournalError, NotFound) as error:
                world.say(f"{self.name}: the job {_short(world, job)} failed: {error!r}")
                world.queues.failed(job)
            except Exception as error:  # noqa: BLE001 - nothing else may go wrong in a job
                detail = f"a job failed inside the service: {_short(world, job)}: {error!r}"
                world.checker.demand(False, detail)
                world.queues.failed(job)
            else:
                world.queues.done(job)

    def _do(self, job: Job) -> None:
        world = self._world
        world.say(f"{self.name}: begins {_short(world, job)}")
        if self._queue == SCORING:
            scoring.act_at(self.desk, job.match)
        else:
            bots.play_at(self.desk, job.match)


class Keeper(_Working):
    """The keeper: the rounds of workers.keeper, one after the other."""

    def work(self) -> None:
        """Make one round after the other."""
        world = self._world
        patience_ms = world.plan.patience * 1000
        rules = Rules(KEEPER_AFTER_MS, Patience(open=patience_ms, running=patience_ms))
        lost_jobs = LostJobs(world)
        outage = Outage(logging.getLogger(__name__), self.name)
        rounds = 0
        while True:
            world.kernel.pause(ROUND)
            look = rounds % IDLE_ROUNDS == 0
            make_round = partial(keep, self.desk, world.queues, lost_jobs, rules, look=look)
            ended = attempt(make_round, outage)
            rounds = 0 if ended else rounds + 1


class LostJobs:
    """The jobs of workers that died, which the keeper forgets in every round."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def forget(self) -> list[str]:
        """Forget them; return their ids."""
        living = self._world.living_workers()
        return self._world.queues.forget_lost(living)


def _short(world: "World", job: Job) -> str:
    work, _, rest = job.id.partition("-")
    match_id, _, version = rest.partition("-")
    return f"{work} of {world.trace.name(match_id)} v{version}"
