"""One seed: planned, run, checked."""

from dataclasses import dataclass
from random import Random
from time import process_time

import pytest

from tests.simulation.border import draw_from, set_sizes, set_time, silence
from tests.simulation.final import Watch, check_end
from tests.simulation.kernel import SECOND
from tests.simulation.owners import Owner
from tests.simulation.plan import plan_of
from tests.simulation.planted import Plant
from tests.simulation.trace import Trace
from tests.simulation.world import World

LATEST_OPENING = 5 * SECOND


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one seed.

    failure: the first fact that failed, "" if all hold.
    digest: the SHA-256 of the trace.
    virtual: for how long it ran, in virtual seconds.   core: in seconds of one core.
    acknowledged, read: commits and states that clients were told of.   steps: lines of the trace.
    faults: how many of each kind there were.
    """

    seed: int
    failure: str
    digest: str
    virtual: float
    core: float
    matches: int
    commits: int
    acknowledged: int
    read: int
    steps: int
    faults: dict[str, int]
    trace: Trace


def run_seed(seed: int, plant: Plant | None = None) -> Result:
    """Run one seed, with a fault planted in the product if one is given."""
    began = process_time()
    plan = plan_of(Random(f"{seed}|plan"))

    with pytest.MonkeyPatch.context() as patch, silence():
        draw_from(patch, Random(f"{seed}|secrets"))
        set_sizes(patch, plan.sizes)
        world = World(seed, plan, plant.wrap if plant else None)
        set_time(patch, world.kernel)

        if plant is not None:
            plant.patch(patch)
        _run(world)

    checker = world.checker
    return Result(
        seed=seed,
        failure=checker.failure,
        digest=world.trace.digest(),
        virtual=world.kernel.now / SECOND,
        core=process_time() - began,
        matches=len(checker.matches),
        commits=sum(map(len, checker.matches.values())),
        acknowledged=checker.acknowledged,
        read=checker.read,
        steps=len(world.trace.lines),
        faults=world.faults.counts,
        trace=world.trace,
    )


def _run(world: World) -> None:
    world.appoint_events()
    Watch(world).begin()

    for number, game in enumerate(world.plan.matches, 1):
        owner = Owner(world, f"owner-{number}", game)
        owner.begin(owner.random.randrange(LATEST_OPENING))

    try:
        world.kernel.run(world.plan.end)
        world.kernel.current = None
        if not world.checker.failure:
            check_end(world)
    finally:
        world.kernel.close()
