"""What the web processes use while they are under load: memory, threads, open files."""

import statistics
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
from prometheus_client.parser import text_string_to_metric_families

_LOOK_SECONDS = 5
_ASK_SECONDS = 30

# What is looked at, by the name of its metric.
MEASURES = {
    "giornale_web_resident_memory_bytes": "memory",
    "giornale_web_threads": "threads",
    "giornale_web_open_fds": "open files",
}


@dataclass
class Footprint:
    """What was seen of each measure, in the order of time."""

    seen: dict[str, list[float]] = field(default_factory=dict)

    def growth(self) -> dict[str, float]:
        """Return the last third of each measure against the second, as medians.

        The first third is left out: in it the processes fill what they remember.
        """
        grown = {}
        for measure, values in self.seen.items():
            third = len(values) // 3
            before = statistics.median(values[third : 2 * third])
            after = statistics.median(values[2 * third :])
            grown[measure] = after / before
        return grown

    def largest(self) -> dict[str, float]:
        """Return the most that was seen of each measure."""
        return {measure: max(values) for measure, values in self.seen.items()}


@contextmanager
def watched(url: str) -> Iterator[Footprint]:
    """Look at a service's processes every few seconds, as long as the context lasts."""
    footprint = Footprint()
    done = threading.Event()

    def look() -> None:
        while not done.wait(_LOOK_SECONDS):
            for measure, value in _look(url).items():
                footprint.seen.setdefault(measure, []).append(value)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield footprint
    finally:
        done.set()
        watcher.join()


def _look(url: str) -> dict[str, float]:
    """Return each measure as it is now."""
    text = httpx.get(f"{url}/metrics", timeout=_ASK_SECONDS).text

    found = {}
    for family in text_string_to_metric_families(text):
        if family.name in MEASURES:
            found[MEASURES[family.name]] = family.samples[0].value
    return found
