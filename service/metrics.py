"""What is measured, for Prometheus; right across processes when PROMETHEUS_MULTIPROC_DIR names a directory."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)

REQUESTS = Histogram(
    "giornale_request_seconds", "Time to answer a request (to begin to, for a stream), by operation and status.",
    ["operation", "status"], buckets=_SECONDS,
)  # fmt: skip
APPENDS = Histogram(
    "giornale_append_seconds", "Time to append a commit to the journal.", buckets=_SECONDS
)
CONFLICTS = Counter("giornale_conflicts", "Appends refused because another commit came first.")
REPEATS = Counter(
    "giornale_idempotent_hits", "Requests answered with the first answer to their key."
)
REPLAYED = Counter(
    "giornale_replayed_commits", "Commits folded to bring a match to its present or a past state."
)
STREAMS = Gauge("giornale_streams", "Long answers at hand.", multiprocess_mode="livesum")
SHED = Counter(
    "giornale_shed_requests",
    "Requests refused with 503 because too many were at hand, by what they wanted.",
    ["wanted"],
)
for wanted in ("work", "body"):  # told from the start, so that the first refusal is a rise
    SHED.labels(wanted)
AT_WORK = Gauge(
    "giornale_working_requests", "Requests at work, without probes.", multiprocess_mode="livesum"
)
WAITING = Gauge(
    "giornale_waiting_requests", "Requests that wait for their turn.", multiprocess_mode="livesum"
)
READING = Gauge(
    "giornale_reading_bodies", "Bodies that keep the service waiting.", multiprocess_mode="livesum"
)
PENDING = Gauge(
    "giornale_pending_matches",
    "Matches that wait for the house or a bot.",
    multiprocess_mode="mostrecent",
)
PENDING_AGE = Gauge(
    "giornale_pending_age_seconds",
    "How long the longest of them has waited.",
    multiprocess_mode="mostrecent",
)
QUEUED = Gauge(
    "giornale_queued_jobs", "Jobs that wait in a queue.", ["queue"], multiprocess_mode="mostrecent"
)


@contextmanager
def timed(histogram: Histogram) -> Iterator[None]:
    """Observe how long a block takes, if it does not raise."""
    start = perf_counter()
    yield
    histogram.observe(perf_counter() - start)


def exposition() -> bytes:
    """Return all values, of all processes where there are several, as Prometheus reads them."""
    directory = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if directory is None:
        return generate_latest()
    _bury(Path(directory))
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def web_processes() -> list[int]:
    """Return the ids of the living processes that share their measures; [] where each has its own."""
    directory = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if directory is None:
        return []
    _bury(Path(directory))
    return sorted(
        {int(file.stem.rpartition("_")[2]) for file in Path(directory).glob("gauge_live*.db")}
    )


def _bury(directory: Path) -> None:
    """Forget what processes that were killed had at hand: they could not take it back themselves."""
    for file in directory.glob("gauge_live*.db"):
        try:
            os.kill(int(file.stem.rpartition("_")[2]), 0)
        except ProcessLookupError:
            file.unlink(missing_ok=True)
        except PermissionError:  # it lives, and is another's
            continue
