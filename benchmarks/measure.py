"""What the benchmarks share: medians of interleaved runs, and ratios with a name and a goal."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """One measured ratio. It carries over to other machines; the figures behind it do not.

    name: unique among all benchmarks, for the history.
    goal: what it should reach, or 0 where there is no goal.
    smaller_is_better: the goal is a limit from above.
    """

    name: str
    value: float
    goal: float = 0
    smaller_is_better: bool = False

    @property
    def reached(self) -> bool:
        """Tell whether the goal is reached; without a goal it always is."""
        if not self.goal:
            return True
        return self.value <= self.goal if self.smaller_is_better else self.value >= self.goal

    def __str__(self) -> str:
        """Return the ratio as one line, with its goal."""
        if not self.goal:
            return f"{self.name}: {self.value:.2f}"

        bound = "at most " if self.smaller_is_better else ""
        verdict = "reached" if self.reached else "missed"
        return f"{self.name}: {self.value:.2f} (goal {bound}{self.goal:g}: {verdict})"


def interleaved(runs: int, contenders: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """Run every contender in turn, `runs` times over; return the median of what each returned."""
    figures: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(runs):
        for name, contender in contenders.items():
            figures[name].append(contender())

    return {name: statistics.median(values) for name, values in figures.items()}


def p99(values: Sequence[float]) -> float:
    """Return the 99th percentile: of a hundred values 99 are at most as large."""
    return statistics.quantiles(values, n=100)[-1]


def timed(work: Callable[[], object]) -> float:
    """Return how many seconds some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rate(number: int, work: Callable[[], object]) -> float:
    """Return how many of a number of things are done in a second by work that does them all."""
    return number / timed(work)
