"""One seed, or many: planned, run, checked."""

import hashlib
import logging
import secrets
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from time import process_time
from types import SimpleNamespace
from typing import Any

import pytest

from service.matches import automation, following, repository
from tests import toy
from tests.simulation.final import Watch, check_end
from tests.simulation.kernel import SECOND, Kernel
from tests.simulation.plan import Sizes, plan_of
from tests.simulation.planted import PLANTS, Plant
from tests.simulation.players import Owner
from tests.simulation.world import Trace, World


@contextmanager
def silence() -> Iterator[None]:
    """Return a block in which nothing is logged: faults by the thousand would be."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def draw_from(patch: pytest.MonkeyPatch, random: Random) -> None:
    """Let the product draw its ids, secrets, nonces and salts from the seed; add the toy."""
    toy.install(patch)
    patch.setattr(secrets, "token_bytes", random.randbytes)
    patch.setattr(secrets, "token_hex", lambda count: random.randbytes(count).hex())


def set_sizes(patch: pytest.MonkeyPatch, sizes: Sizes) -> None:
    """Let the product have the sizes of the plan."""
    patch.setattr(repository, "PIECE", sizes.piece)
    patch.setattr(repository, "SNAPSHOT_EVERY", sizes.snapshot)
    patch.setattr(following, "PIECE", sizes.piece)
    patch.setattr(automation, "MOVES_A_JOB", sizes.moves)


def set_time(patch: pytest.MonkeyPatch, kernel: Kernel) -> None:
    """Let those who follow a match count the seconds of the kernel."""
    watch: Any = SimpleNamespace(monotonic=lambda: kernel.now / SECOND)
    patch.setattr(following, "time", watch)


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


SHARE = 50  # seeds that one process runs in one go


@dataclass(slots=True)
class Tally:
    """What came of many seeds.

    failures: each seed that failed, with the fact.
    virtual: for how long all runs lasted, in virtual seconds.   core: in seconds of one core.
    digest: of the traces' digests in the order of the seeds: equal runs have equal digests.
    """

    seeds: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)
    virtual: float = 0.0
    core: float = 0.0
    matches: int = 0
    commits: int = 0
    acknowledged: int = 0
    read: int = 0
    steps: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    digest: str = ""

    @property
    def speed(self) -> float:
        """How many virtual seconds one core simulates in a second."""
        return self.virtual / self.core if self.core else 0.0

    def join(self, other: "Tally") -> None:
        """Take in the seeds that follow."""
        self.seeds += other.seeds
        self.failures += other.failures
        self.virtual += other.virtual
        self.core += other.core
        self.matches += other.matches
        self.commits += other.commits
        self.acknowledged += other.acknowledged
        self.read += other.read
        self.steps += other.steps
        self.faults += other.faults

        both_digests = f"{self.digest}{other.digest}"
        self.digest = hashlib.sha256(both_digests.encode()).hexdigest()


def tally_of(result: Result) -> Tally:
    """Return what came of one seed."""
    failures = [(result.seed, result.failure)] if result.failure else []
    return Tally(
        seeds=1,
        failures=failures,
        virtual=result.virtual,
        core=result.core,
        matches=result.matches,
        commits=result.commits,
        acknowledged=result.acknowledged,
        read=result.read,
        steps=result.steps,
        faults=Counter(result.faults),
        digest=result.digest,
    )


def run_share(seeds: Sequence[int]) -> Tally:
    """Run some seeds in this process."""
    tally = Tally()
    for seed in seeds:
        result = run_seed(seed)
        tally.join(tally_of(result))
    return tally


def shares(seeds: Sequence[int]) -> list[Sequence[int]]:
    """Return the seeds in shares of at most SHARE."""
    return [seeds[start : start + SHARE] for start in range(0, len(seeds), SHARE)]


def run_many(seeds: Sequence[int], jobs: int) -> Iterator[Tally]:
    """Run seeds in so many processes, and yield the tally after each share."""
    tally = Tally()
    with ProcessPoolExecutor(jobs) as pool:
        for share in pool.map(run_share, shares(seeds)):
            tally.join(share)
            yield tally


def run_and_tell(seeds: Sequence[int], jobs: int) -> Tally:
    """Run seeds in so many processes, say on the screen how far it is, and return the tally."""
    tally = Tally()
    for tally in run_many(seeds, jobs):
        print(f"\r{tally.seeds:,} seeds, {len(tally.failures)} failed", end="", file=sys.stderr)
    print(file=sys.stderr)
    return tally


def first_seed_that_finds(name: str) -> int | None:
    """Return the first seed that fails with a planted fault and not without it.

    None if none of the seeds that are to find it does.
    """
    plant = PLANTS[name]
    for seed in range(1, plant.seeds + 1):
        fails_with_it = bool(run_seed(seed, plant).failure)
        if fails_with_it and not run_seed(seed).failure:
            return seed
    return None
