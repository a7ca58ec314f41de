"""The frame of all benchmarks: medians of interleaved runs, ratios with a goal, and curves."""

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
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

    def __str__(self) -> str:
        """Return the ratio as one line, with its goal."""
        if not self.goal:
            return f"{self.name}: {self.value:.2f}"

        bound = "at most " if self.smaller_is_better else ""
        better, worse = self.value, self.goal
        if self.smaller_is_better:
            better, worse = worse, better
        verdict = "reached" if better >= worse else "missed"
        return f"{self.name}: {self.value:.2f} (goal {bound}{self.goal:g}: {verdict})"


def limit(name: str, value: float, goal: float = 0) -> Ratio:
    """Return a ratio that is the better the smaller it is."""
    return Ratio(name, value, goal, smaller_is_better=True)


@dataclass(frozen=True)
class Curve:
    """One line of a diagram: how something depends on a number.

    over: what the number counts, such as "matches"; curves with the same share a diagram.
    name: what is measured, unique among the curves of the same number.
    unit: of the values, such as "ms" or "moves/s".
    """

    over: str
    name: str
    unit: str
    points: dict[int, float]

    def __str__(self) -> str:
        """Return the curve as one line."""
        values = ", ".join(f"{value:.3g} at {number:,}" for number, value in self.points.items())
        return f"{self.name}, {self.unit}: {values}"


Figures = list[Ratio | Curve]
"""What a benchmark returns."""


def interleaved(runs: int, contenders: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """Run every contender in turn, `runs` times over; return the median of what each returned."""
    figures: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(runs):
        for name, contender in contenders.items():
            figures[name].append(contender())

    return {name: statistics.median(values) for name, values in figures.items()}


def show(what: str, figures: Mapping[str, float], unit: str) -> None:
    """Print figures of one unit as a line."""
    parts = ", ".join(f"{name} {_short(value)} {unit}" for name, value in figures.items())
    print(f"{what}: {parts}", flush=True)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def p95(values: Iterable[float]) -> float:
    """Return the 95th percentile; of less than 20 values the largest."""
    in_order = sorted(values)
    return in_order[min(len(in_order) * 95 // 100, len(in_order) - 1)]


def p99(values: Sequence[float]) -> float:
    """Return the 99th percentile: of a hundred values 99 are at most as large."""
    return statistics.quantiles(values, n=100)[-1]


def timed(work: Callable[[], object]) -> float:
    """Return how many seconds some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def worked(work: Callable[[], object]) -> float:
    """Return how many seconds of the processor some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def rate(number: int, work: Callable[[], object]) -> float:
    """Return how many of a number of things are done in a second by work that does them all."""
    return number / timed(work)
