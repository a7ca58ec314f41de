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

from service.base.errors import NotFound
from service.capabilities.clock import timers as clock_timers
from service.capabilities.log import rounds as log_rounds
from service.capabilities.my_matches import use_cases as my_matches
from service.capabilities.webhooks import (
    jobs as calls,
    timers as hook_timers,
    use_cases as webhooks,
)
from service.matches import automation, following, repository
from service.record.terms import clock as clock_term
from tests import toy
from tests.simulation.banks import LEAST_REST
from tests.simulation.checker import Checker
from tests.simulation.final import Watch, check_end
from tests.simulation.kernel import SECOND, Kernel
from tests.simulation.plan import Sizes, plan_of
from tests.simulation.planted import PLANTS, Plant
from tests.simulation.players import Owner
from tests.simulation.reported import check_reports
from tests.simulation.sequencing import set_log_sizes
from tests.simulation.world import Trace, World

SECOND_MS = 1_000


@contextmanager
def silence() -> Iterator[None]:
    """Make no logs in a block: faults would log by the thousand."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def draw_from(patch: pytest.MonkeyPatch, random: Random) -> None:
    """Let the product draw its ids, secrets, nonces and salts from the seed. Add the toy."""
    toy.install(patch)
    patch.setattr(secrets, "token_bytes", random.randbytes)
    patch.setattr(secrets, "randbelow", random.randrange)
    patch.setattr(secrets, "token_hex", lambda count: random.randbytes(count).hex())


def set_sizes(patch: pytest.MonkeyPatch, sizes: Sizes) -> None:
    """Let the product have the sizes of the plan."""
    patch.setattr(repository, "PIECE", sizes.piece)
    patch.setattr(repository, "SNAPSHOT_EVERY", sizes.snapshot)
    patch.setattr(following, "PIECE", sizes.follower_piece)
    patch.setattr(automation, "MOVES_A_JOB", sizes.moves)
    patch.setattr(clock_term, "_LEAST_REST_MS", LEAST_REST)
    # A run has less than a minute of virtual time, so calls are tried again sooner.
    patch.setattr(webhooks, "MINUTE_MS", SECOND_MS)
    patch.setattr(webhooks, "LONGEST_PAUSE_MS", 2 * SECOND_MS)
    patch.setattr(webhooks, "CALL_MS", 3 * SECOND_MS)
    patch.setattr(hook_timers, "LEASE_MS", 4 * SECOND_MS)


def watch_calls(patch: pytest.MonkeyPatch, checker: Checker) -> None:
    """Fail the run on an error that a webhook's call or a round only logs.

    NotFound is no failure: a match may be gone.
    """

    def fail(text: str, **_more: object) -> None:
        error = sys.exc_info()[1]
        checker.demand(isinstance(error, NotFound), f"{text}: {error!r}")

    patch.setattr(calls._log, "exception", fail)
    patch.setattr(clock_timers._log, "exception", fail)
    patch.setattr(log_rounds._log, "exception", fail)


def set_time(patch: pytest.MonkeyPatch, kernel: Kernel) -> None:
    """Let followers of a match, and rounds, count the seconds of the kernel."""
    watch: Any = SimpleNamespace(monotonic=lambda: kernel.now / SECOND)
    patch.setattr(log_rounds, "monotonic", watch.monotonic)
    patch.setattr(following, "time", watch)
    patch.setattr(my_matches, "time", watch)


LATEST_OPENING = 5 * SECOND


# Counts beside the faults, by the page's names.
ACKNOWLEDGED = "commits acknowledged to clients"
TIMES = "seats whose time has run out"
LAPSES = "lapses of seats that owed a part of the draws"
LATE = "of these later, because nobody had seen to clocks for a while"
ROUSED = "matches that bots play on after a rest"
TAKEN_BACK = "commits that take moves back"
PUBLISHED = "checkpoints of the log"
SEALED = "entries of the logs at the end"
LOSSES = "entries that say that a loss was accepted"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one seed.

    failure: the first failed fact, "" if all hold. virtual: its duration, in virtual seconds.
    core: in seconds of one core. counts: the numbers of commits, states, faults and so on, by
    name.
    """

    seed: int
    failure: str
    virtual: float
    core: float
    counts: Counter[str]
    trace: Trace

    @property
    def digest(self) -> str:
        """The SHA-256 of the trace."""
        return self.trace.digest()


def run_seed(seed: int, plant: Plant | None = None) -> Result:
    """Run one seed, with a fault planted in the product if one is given."""
    began = process_time()
    chance = (Random(f"{seed}|{part}") for part in ("plan", "absences", "log"))
    plan = plan_of(*chance)

    with pytest.MonkeyPatch.context() as patch, silence():
        draw_from(patch, Random(f"{seed}|secrets"))
        set_sizes(patch, plan.sizes)
        set_log_sizes(patch)
        world = World(seed, plan, plant.wrap if plant else None)
        set_time(patch, world.kernel)
        watch_calls(patch, world.checker)

        if plant is not None:
            plant.patch(patch)
        _run(world)

    return Result(
        seed=seed,
        failure=world.checker.failure,
        virtual=world.kernel.now / SECOND,
        core=process_time() - began,
        counts=_counts(world),
        trace=world.trace,
    )


def _counts(world: World) -> Counter[str]:
    """Return the counts of a run, by the page's names."""
    checker = world.checker
    return Counter(
        {
            "steps told in the traces": len(world.trace.lines),
            "matches": len(checker.matches),
            "commits in the journals at the end": sum(map(len, checker.matches.values())),
            ACKNOWLEDGED: checker.acknowledged,
            TIMES: checker.times_run_out,
            LAPSES: checker.lapses,
            LATE: checker.late,
            ROUSED: checker.roused,
            TAKEN_BACK: checker.taken_back,
            PUBLISHED: world.log.checker.published_count,
            SEALED: world.log.checker.size,
            LOSSES: world.log.checker.losses,
            "states told to clients": checker.read,
            **dict(sorted(world.faults.counts.items())),
        }
    )


def _run(world: World) -> None:
    world.appoint_events()
    Watch(world).begin()
    world.follower.begin()

    for number, game in enumerate(world.plan.matches, 1):
        owner = Owner(world, f"owner-{number}", game)
        owner.begin(owner.random.randrange(LATEST_OPENING))

    try:
        world.kernel.run(world.plan.end)
        world.kernel.current = None
        if not world.checker.failure:
            check_end(world)
            check_reports(world)
            if world.log.is_there:
                world.log.checker.check_end()
    finally:
        world.kernel.close()
        world.log.close()


SHARE = 50  # seeds that one process runs in one go


@dataclass(slots=True)
class Tally:
    """The results of many seeds.

    failures: each failed seed, with the fact. virtual: the duration of all runs, in virtual
    seconds. core: in seconds of one core. digest: of the traces' digests in the order of the
    seeds: equal runs have equal digests.
    """

    seeds: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)
    virtual: float = 0.0
    core: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    digest: str = ""

    @property
    def speed(self) -> float:
        """How many virtual seconds one core simulates in a second."""
        return self.virtual / self.core if self.core else 0.0

    def join(self, other: "Tally") -> None:
        """Take in the following seeds."""
        self.seeds += other.seeds
        self.failures += other.failures
        self.virtual += other.virtual
        self.core += other.core
        self.counts += other.counts

        both_digests = f"{self.digest}{other.digest}"
        self.digest = hashlib.sha256(both_digests.encode()).hexdigest()


def run_share(seeds: Sequence[int]) -> Tally:
    """Run some seeds in this process."""
    tally = Tally()
    for seed in seeds:
        one = run_seed(seed)
        failures = [(seed, one.failure)] if one.failure else []
        tally.join(Tally(1, failures, one.virtual, one.core, one.counts, one.digest))
    return tally


def run_and_show(seeds: Sequence[int], jobs: int) -> Tally:
    """Run seeds in so many processes, show on the screen how far it is, and return the tally."""
    shares = [seeds[start : start + SHARE] for start in range(0, len(seeds), SHARE)]
    tally = Tally()
    with ProcessPoolExecutor(jobs) as pool:
        for share in pool.map(run_share, shares):
            tally.join(share)
            failed = len(tally.failures)
            print(f"\r{tally.seeds:,} seeds, {failed} failed", end="", file=sys.stderr)
    print(file=sys.stderr)
    return tally


def first_seed_that_finds(name: str) -> int | None:
    """Return the first seed failing with a planted fault and not without it.

    None if none of the plant's seeds does.
    """
    plant = PLANTS[name]
    for seed in range(1, plant.seeds + 1):
        fails_with_it = bool(run_seed(seed, plant).failure)
        if fails_with_it and not run_seed(seed).failure:
            return seed
    return None
