"""What the benchmarks share: medians of interleaved runs, and lines that compare."""

import statistics
import time
from collections.abc import Callable, Mapping


def interleaved(runs: int, contenders: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """Run every contender in turn, `runs` times over; return the median of what each returned."""
    figures: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(runs):
        for name, contender in contenders.items():
            figures[name].append(contender())
    return {name: statistics.median(values) for name, values in figures.items()}


def timed(work: Callable[[], object]) -> float:
    """Return how many seconds some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def report(what: str, ratio: float, goal: float) -> None:
    """Print one ratio and whether it reaches its goal."""
    print(f"{what}: {ratio:.2f} (goal {goal:g}: {'reached' if ratio >= goal else 'missed'})")
