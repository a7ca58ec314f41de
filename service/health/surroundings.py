"""What stands around the requests, measured when somebody asks: build, processes, workers, journal, disk.

Unlike the counters of `service.metrics`, these belong to no single process, so they are looked up and not added up.
A look is kept for a few seconds: whoever asks often costs the journal no more.
"""

import os
import platform
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import TypeVar

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from service import metrics
from service.health import processes
from service.jobs.queues import Queues
from service.journal.port import Journal, JournalError

KEPT_SECONDS = 5.0
Found = TypeVar("Found")


class Surroundings(Collector):
    """All that is looked up, as Prometheus' metrics. What cannot be asked now is left out."""

    def __init__(self, journal: Journal, queues: Queues, data: Path) -> None:
        self._journal = journal
        self._queues = queues
        self._data = data
        self._lock = threading.Lock()
        self._kept: bytes = b""
        self._until = 0.0

    def exposition(self) -> bytes:
        """Return the metrics as text, at most KEPT_SECONDS old."""
        with self._lock:
            if monotonic() >= self._until:
                registry = CollectorRegistry()
                registry.register(self)
                self._kept = generate_latest(registry)
                self._until = monotonic() + KEPT_SECONDS
            return self._kept

    def describe(self) -> Iterable[Metric]:
        """Return nothing: registering asks nobody."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield everything."""
        yield _build()
        yield from _web()
        yield from self._disk()
        yield from self._of_journal()
        yield from self._of_queues()

    def _disk(self) -> Iterator[Metric]:
        try:
            usage = shutil.disk_usage(self._data)
        except OSError:
            return
        yield _gauge(
            "giornale_data_free_bytes", "Free space where the data directory lies.", usage.free
        )
        yield _gauge(
            "giornale_data_size_bytes",
            "Size of the disk on which the data directory lies.",
            usage.total,
        )

    def _of_journal(self) -> Iterator[Metric]:
        found = _asked(
            lambda: (
                self._journal.memory(),
                self._journal.listed_counts(),
                self._journal.commit_count(),
            )
        )
        yield _gauge(
            "giornale_journal_up", "Whether the journal answers: 1 or 0.", int(found is not None)
        )
        if found is None:
            return

        memory, counts, commits = found
        yield _gauge(
            "giornale_journal_memory_bytes",
            "Memory that the journal's server has in use.",
            memory.used,
        )
        yield _gauge(
            "giornale_journal_memory_limit_bytes",
            "Memory that it may use before it refuses more; 0: any.",
            memory.bound,
        )
        yield CounterMetricFamily(
            "giornale_journal_commits",
            "Commits ever appended, of deleted matches too.",
            value=commits,
        )
        listed = GaugeMetricFamily(
            "giornale_public_matches", "Public matches by status.", labels=["status"]
        )
        for status, count in counts.items():
            listed.add_metric([status], count)
        yield listed

    def _of_queues(self) -> Iterator[Metric]:
        found = _asked(
            lambda: (self._queues.workers(), self._queues.keeper(), self._queues.failures())
        )
        yield _gauge(
            "giornale_queues_up",
            "Whether the queues' server answers: 1 or 0.",
            int(found is not None),
        )
        if found is None:
            return

        alive, keeper, failures = found
        workers = GaugeMetricFamily(
            "giornale_workers", "Workers alive, by queue.", labels=["queue"]
        )
        for queue, names in alive.items():
            workers.add_metric([queue], len(names))
        yield workers
        yield _gauge(
            "giornale_keeper_up",
            "Whether a keeper was at work in the last seconds: 1 or 0.",
            int(bool(keeper)),
        )
        failed = CounterMetricFamily(
            "giornale_failed_jobs",
            "Jobs that failed, by queue, since the queues' server was emptied.",
            labels=["queue"],
        )
        for queue, count in failures.items():
            failed.add_metric([queue], count)
        yield failed


def _asked(question: Callable[[], Found]) -> Found | None:
    """Return the answer, None if the server does not give one."""
    try:
        return question()
    except (JournalError, RedisError):
        return None


def _build() -> Metric:
    build = GaugeMetricFamily(
        "giornale_build_info",
        "Always 1; what runs stands in the labels.",
        labels=["version", "python", "machine"],
    )
    build.add_metric([version("giornale"), platform.python_version(), platform.machine()], 1)
    return build


def _web() -> Iterator[Metric]:
    """Yield what the web processes take together. Only Linux tells it."""
    found = [
        one
        for one in map(processes.look, metrics.web_processes() or [os.getpid()])
        if one is not None
    ]
    if not found:
        return
    yield _gauge(
        "giornale_web_processes",
        "Processes that serve HTTP, and the one that started them.",
        len(found),
    )
    resident = sum(one.resident_bytes for one in found)
    yield _gauge(
        "giornale_web_resident_memory_bytes", "Memory of the web processes, added up.", resident
    )
    yield _gauge(
        "giornale_web_open_fds",
        "Open files of the web processes, added up.",
        sum(one.files for one in found),
    )
    most = sum(one.most_files for one in found)
    yield _gauge("giornale_web_max_fds", "Files that the web processes may open, added up.", most)
    yield _gauge(
        "giornale_web_threads",
        "Threads of the web processes, added up.",
        sum(one.threads for one in found),
    )
    started = max(one.started for one in found)
    yield _gauge(
        "giornale_web_start_time_seconds",
        "When the youngest web process started, since the epoch.",
        started,
    )


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)
