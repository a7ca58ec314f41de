"""The processes of the service: each with a memory and a clock of its own, both of which may fail.

A process that crashes loses all that it remembers, and whatever it was doing stops where it is.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from service.matches.cache import MatchCache
from service.matches.context import Context
from tests.simulation.kernel import MILLISECOND, SECOND, Died, Strand
from tests.simulation.notifications import SimulatedNotifications

if TYPE_CHECKING:
    from tests.simulation.world import World

START_MS = 1_700_000_000_000  # when a run begins, in milliseconds since the epoch
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
    def entered(self) -> Iterator[Context]:
        """Return a block in which the current strand is at work inside; Died ends it."""
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
            wake=self._wake,
            allow_seed=True,
            cache=MatchCache(sizes.shelf, sizes.checkpoint),
        )

    def _wake(self, match_id: str, version: int, work: str) -> None:
        self._world.queues.enqueue(self, match_id, version, work)
