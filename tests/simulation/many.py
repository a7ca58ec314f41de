"""Many seeds, in several processes, and what came of them together."""

import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from tests.simulation.run import Result, run_seed

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
