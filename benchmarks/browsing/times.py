"""Milliseconds as they were measured, and what is told of them."""

import os
import statistics
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds that something took, each time that it was done."""

    all: list[float]

    @classmethod
    def together(cls, parts: Iterable["Times"]) -> "Times":
        """Return the times of several runs."""
        return cls([time for part in parts for time in part.all])

    @property
    def p50(self) -> float:
        """Return the median."""
        return statistics.median(self.all)

    @property
    def p95(self) -> float:
        """Return the 95th percentile; of less than 20 times the longest."""
        in_order = sorted(self.all)
        return in_order[min(len(in_order) * 95 // 100, len(in_order) - 1)]

    def __str__(self) -> str:
        """Return median, 95th percentile and the longest."""
        return f"p50 {self.p50:6.1f}   p95 {self.p95:6.1f}   max {max(self.all):6.1f} ms"


def machine_load() -> str:
    """Return how busy the machine is: the processes that want to run, on average of a minute."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
