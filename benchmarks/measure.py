"""The frame of all benchmarks: contenders in turn, medians, ratios with a goal, and curves."""

import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """One measured ratio. It carries over to other machines, unlike the figures behind it.

    name: unique among all benchmarks, for the history.
    goal: the value to reach, 0 for none.
    smaller_is_better: the goal is an upper limit.
    """

    name: str
    value: float
    goal: float = 0
    smaller_is_better: bool = False

    def __str__(self) -> str:
        """Return the ratio as one line, with its goal."""
        line = f"{self.name}: {self.value:.2f}"
        if not self.goal:
            return line

        reached = reach(self.value, self.goal, is_limit=self.smaller_is_better)
        bound = "at most " if self.smaller_is_better else ""
        return f"{line} (goal {bound}{self.goal:g}: {'reached' if reached >= 1 else 'missed'})"


def limit(name: str, value: float, goal: float = 0) -> Ratio:
    """Return a ratio of which smaller values are better."""
    return Ratio(name, value, goal, smaller_is_better=True)


def reach(value: float, goal: float, *, is_limit: bool) -> float:
    """Return the factor by which a value reaches its goal. Less than 1 misses it."""
    return goal / value if is_limit else value / goal


@dataclass(frozen=True)
class Curve:
    """One line of a diagram: the growth of a value with a number.

    over: the thing that is counted, such as "matches". Curves with the same share a diagram.
    name: the measured value, unique among the curves of the same number.
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


@dataclass(frozen=True)
class Row:
    """The results of one of several contenders.

    cells: of a row in a table.   figures: of a picture, by name.
    """

    name: str
    cells: tuple[str, ...]
    figures: dict[str, float]

    def __str__(self) -> str:
        """Return the row of a table (Markdown)."""
        return f"| {' | '.join((self.name, *self.cells))} |"


Figures = list[Ratio | Curve | Row]  # the results of a benchmark

# The contenders by name: each call runs once, and returns a figure.
Contenders = Mapping[str, Callable[[], float]]


def compare(what: str, unit: str, runs: int, contenders: Contenders) -> dict[str, float]:
    """Run every contender in turn, `runs` times over. Print and return the median of each."""
    figures: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(runs):
        for name, contender in contenders.items():
            figures[name].append(contender())

    medians = {name: statistics.median(values) for name, values in figures.items()}
    show(what, medians, unit)
    return medians


def show(what: str, figures: Mapping[str, float], unit: str) -> None:
    """Print figures of one unit as a line."""
    parts = [
        f"{name} {value:{',.0f' if value >= 1000 else '.3g'}} {unit}"
        for name, value in figures.items()
    ]
    print(f"{what}: {', '.join(parts)}", flush=True)


def show_spread(what: str, values: Iterable[float], unit: str) -> None:
    """Print the spread of values of one kind."""
    all_ = sorted(values)
    spread = {"p50": statistics.median(all_), "p95": p95(all_), "p99": p99(all_), "max": all_[-1]}
    show(what, spread, unit)


def p95(values: Iterable[float]) -> float:
    """Return the 95th percentile."""
    return p99(values, 95)


def p99(values: Iterable[float], of_hundred: int = 99) -> float:
    """Return the 99th percentile or another one: so many of a hundred values are at most it."""
    in_order = sorted(values)
    return in_order[math.ceil(len(in_order) * of_hundred / 100) - 1]


def milliseconds(work: Callable[[], object]) -> float:
    """Return the milliseconds that some work takes."""
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def worked(work: Callable[[], object]) -> float:
    """Return the milliseconds of processor time that some work takes."""
    start = time.process_time()
    work()
    return 1000 * (time.process_time() - start)


def rate(number: int, work: Callable[[], object]) -> float:
    """Return the rate, in a second, of work that does `number` things."""
    return 1000 * number / milliseconds(work)
