"""Surroundings: measures of build, processes, workers, journal and disk, taken at a request.

Unlike the counters of `service.base.metrics`, these measures belong to no single process. So they
are looked up instead of added up. They are cached for KEPT_SECONDS, so that frequent requests do
not burden the journal.
"""

import os
import platform
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TypeVar

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from service.base import metrics
from service.base.release import release
from service.store.jobs.counters import FAILED_JOBS, TIMES_RUN_OUT, WEBHOOK_CALLS, WITNESS_CALLS
from service.store.jobs.queues import Queues
from service.store.journal.errors import JournalError
from service.store.journal.ports import Journal
from service.store.journal.values import Memory, Order

KEPT_SECONDS = 5.0

Answer = TypeVar("Answer")

_PROC = Path("/proc")

# Numbers of fields of /proc/PID/stat by proc(5). The name in brackets is field 2.
_FIRST_AFTER_NAME = 3
_THREADS = 20
_START_TICKS = 22
_RESIDENT_PAGES = 24


@dataclass(frozen=True, slots=True)
class _JournalFigures:
    """Answers of the journal.

    listed: number of public matches, by status.
    has_gone_back: the journal has lost commits, and nobody has accepted the loss yet.
    log: size and state of the log.   clock_set_backs: how often the journal's clock was set back.
    """

    memory: Memory
    listed: Mapping[str, int]
    commits: int
    has_gone_back: bool
    log: Order
    clock_set_backs: int


@dataclass(frozen=True, slots=True)
class _QueueFigures:
    """Answers of the queues.

    workers: names by queue.   failures: counts by queue.   times_run_out: number of timeouts.
    webhook_calls, witness_calls: numbers of calls to webhooks and to witnesses, by outcome.
    """

    workers: Mapping[str, list[str]]
    scheduler: str | None
    failures: Mapping[str, int]
    times_run_out: int
    webhook_calls: Mapping[str, int]
    witness_calls: Mapping[str, int]


class Surroundings(Collector):
    """The measures as metrics of Prometheus. Parts without an answer are left out."""

    def __init__(self, journal: Journal, queues: Queues, data: Path) -> None:
        self._journal = journal
        self._queues = queues
        self._data = data

        self._lock = threading.Lock()
        self._cached: bytes = b""
        self._fresh_until = 0.0

    def exposition(self) -> bytes:
        """Return the metrics as text, at most KEPT_SECONDS old."""
        with self._lock:
            if monotonic() >= self._fresh_until:
                registry = CollectorRegistry()
                registry.register(self)
                self._cached = generate_latest(registry)
                self._fresh_until = monotonic() + KEPT_SECONDS

            return self._cached

    def describe(self) -> Iterable[Metric]:
        """Return nothing. Otherwise a registration would collect all metrics."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics."""
        yield _build_metric()
        yield from _web_metrics()
        yield from self._disk_metrics()
        yield from self._journal_metrics()
        yield from self._queue_metrics()

    def _disk_metrics(self) -> Iterator[Metric]:
        try:
            usage = shutil.disk_usage(self._data)
        except OSError:
            return

        yield _gauge(
            "giornale_data_free_bytes",
            "Free space on the disk of the data directory, in bytes.",
            usage.free,
        )
        yield _gauge(
            "giornale_data_size_bytes",
            "Size of the disk of the data directory, in bytes.",
            usage.total,
        )

    def _journal_metrics(self) -> Iterator[Metric]:
        figures = _answer_or_none(self._ask_journal)
        yield _gauge(
            "giornale_journal_up",
            "1 if the journal answers, else 0.",
            int(figures is not None),
        )
        if figures is None:
            return

        yield _gauge(
            "giornale_journal_memory_bytes",
            "Memory in use by the journal's server, in bytes.",
            figures.memory.used,
        )
        yield _gauge(
            "giornale_journal_memory_limit_bytes",
            "Memory limit of the journal's server, in bytes. 0: no limit.",
            figures.memory.bound,
        )
        yield CounterMetricFamily(
            "giornale_journal_commits",
            "Commits ever appended, those of deleted matches included.",
            value=figures.commits,
        )
        yield CounterMetricFamily(
            "giornale_clock_set_backs",
            "Number of times the clock of the journal's server was set back by more than 5 "
            "seconds.",
            value=figures.clock_set_backs,
        )
        yield _gauge_by_label(
            "giornale_public_matches",
            "Public matches by status.",
            "status",
            figures.listed,
        )
        yield _gauge(
            "giornale_journal_gone_back",
            "1 if the journal has lost commits and nobody has accepted the loss yet, else 0.",
            int(figures.has_gone_back),
        )
        yield CounterMetricFamily(
            "giornale_log_entries",
            "Entries of the log in its published checkpoint.",
            value=figures.log.published,
        )
        yield _gauge(
            "giornale_log_cosigned_entries",
            "Entries of the log in the newest checkpoint with signatures of enough witnesses.",
            figures.log.cosigned_size,
        )
        yield _gauge(
            "giornale_log_stopped",
            "1 if the log has stopped, else 0. /readyz gives the reason.",
            int(bool(figures.log.stopped)),
        )

    def _queue_metrics(self) -> Iterator[Metric]:
        figures = _answer_or_none(self._ask_queues)
        yield _gauge(
            "giornale_queues_up",
            "1 if the queues' server answers, else 0.",
            int(figures is not None),
        )
        if figures is None:
            return

        yield _gauge_by_label(
            "giornale_workers",
            "Living workers by queue.",
            "queue",
            {queue: len(names) for queue, names in figures.workers.items()},
        )
        is_up = int(bool(figures.scheduler))
        yield _gauge(
            "giornale_scheduler_up",
            "1 if a scheduler was active in the last seconds, else 0.",
            is_up,
        )

        failed_jobs = CounterMetricFamily(
            "giornale_failed_jobs",
            "Failed jobs by queue, since the queues' server was emptied.",
            labels=["queue"],
        )
        for queue, count in figures.failures.items():
            failed_jobs.add_metric([queue], count)
        yield failed_jobs
        yield CounterMetricFamily(
            "giornale_times_run_out",
            "Seats that ran out of time, since the queues' server was emptied.",
            value=figures.times_run_out,
        )
        yield _outcomes("giornale_webhook_calls", "Webhook calls", figures.webhook_calls)
        yield _outcomes("giornale_witness_calls", "Witness requests", figures.witness_calls)

    def _ask_journal(self) -> _JournalFigures:
        generation = self._journal.lifecycle.generation()
        return _JournalFigures(
            memory=self._journal.server.memory(),
            listed=self._journal.index.listed_counts(),
            commits=self._journal.events.commit_count(),
            has_gone_back=generation is not None and generation.gone_back is not None,
            log=self._journal.order.state(whole=False),
            clock_set_backs=self._journal.timers.set_backs().times,
        )

    def _ask_queues(self) -> _QueueFigures:
        return _QueueFigures(
            workers=self._queues.workers(),
            scheduler=self._queues.scheduler(),
            failures=self._queues.counts(FAILED_JOBS),
            times_run_out=self._queues.total(TIMES_RUN_OUT),
            webhook_calls=self._queues.counts(WEBHOOK_CALLS),
            witness_calls=self._queues.counts(WITNESS_CALLS),
        )


def _answer_or_none(question: Callable[[], Answer]) -> Answer | None:
    """Return the answer of a server, None if it does not answer."""
    try:
        return question()
    except (JournalError, RedisError):
        return None


def _build_metric() -> Metric:
    build = GaugeMetricFamily(
        "giornale_build_info",
        "Always 1. The labels name version, Python and machine.",
        labels=["version", "python", "machine"],
    )
    labels = [release(), platform.python_version(), platform.machine()]
    build.add_metric(labels, 1)
    return build


def _web_metrics() -> Iterator[Metric]:
    """Yield the resources used by all web processes together. Yields nothing outside of Linux."""
    web_processes = _living_web_processes()
    if not web_processes:
        return

    yield _gauge(
        "giornale_web_processes",
        "Number of web processes.",
        len(web_processes),
    )
    yield _gauge(
        "giornale_web_resident_memory_bytes",
        "Resident memory of all web processes together, in bytes.",
        sum(process.resident_bytes for process in web_processes),
    )
    yield _gauge(
        "giornale_web_open_fds",
        "Open files of all web processes together.",
        sum(process.files for process in web_processes),
    )
    yield _gauge(
        "giornale_web_max_fds",
        "Limit of open files of all web processes together.",
        sum(process.most_files for process in web_processes),
    )
    yield _gauge(
        "giornale_web_threads",
        "Threads of all web processes together.",
        sum(process.threads for process in web_processes),
    )
    yield _gauge(
        "giornale_web_start_time_seconds",
        "Start time of the youngest web process, in seconds since the epoch.",
        max(process.started for process in web_processes),
    )


def _living_web_processes() -> "list[Process]":
    """Return the resources of each web process. Without shared metrics, return only this one's."""
    pids = metrics.web_processes() or [os.getpid()]
    looks = [look(pid) for pid in pids]
    return [process for process in looks if process is not None]


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _outcomes(name: str, what: str, counts: Mapping[str, int]) -> Metric:
    """Return a counter with one value for each outcome."""
    text = f"{what} by outcome, since the queues' server was emptied."
    counter = CounterMetricFamily(name, text, labels=["outcome"])
    for outcome, count in counts.items():
        counter.add_metric([outcome], count)
    return counter


def _gauge_by_label(name: str, text: str, label: str, values: Mapping[str, int]) -> Metric:
    """Return a gauge with one value for each value of a label."""
    gauge = GaugeMetricFamily(name, text, labels=[label])
    for label_value, number in values.items():
        gauge.add_metric([label_value], number)
    return gauge


# ---- resources of a process, from /proc of Linux. Other systems show nothing -----------------


@dataclass(frozen=True, slots=True)
class Process:
    """The resources used by one process.

    files: number of open files.   most_files: limit of open files, 0 for none.
    started: seconds since the epoch.
    """

    resident_bytes: int
    threads: int
    files: int
    most_files: int
    started: float


def look(pid: int) -> Process | None:
    """Return the resources used by a process now.

    Return None if the process has ended or belongs to another user, or if the system does not show
    the resources.
    """
    place = _PROC / str(pid)
    try:
        after_name = (place / "stat").read_text().rpartition(")")[2].split()
        files = len(list((place / "fd").iterdir()))
        limits = (place / "limits").read_text()
        boot_time = _boot_time()
    except OSError:
        return None

    def field(number: int) -> int:
        return int(after_name[number - _FIRST_AFTER_NAME])

    page_bytes = os.sysconf("SC_PAGE_SIZE")
    ticks_per_second = os.sysconf("SC_CLK_TCK")

    return Process(
        resident_bytes=field(_RESIDENT_PAGES) * page_bytes,
        threads=field(_THREADS),
        files=files,
        most_files=_soft_limit(limits),
        started=boot_time + field(_START_TICKS) / ticks_per_second,
    )


def _soft_limit(limits: str) -> int:
    """Return the limit of open files, 0 for none. limits: the text of /proc/PID/limits."""
    for line in limits.splitlines():
        if line.startswith("Max open files"):
            soft_limit = line.split()[3]
            return int(soft_limit) if soft_limit.isdigit() else 0
    return 0


@cache
def _boot_time() -> int:
    """Return the start of the system, in seconds since the epoch.

    Raises OSError if the system does not show the start.
    """
    for line in (_PROC / "stat").read_text().splitlines():
        if line.startswith("btime "):
            return int(line.split()[1])
    raise OSError(f"{_PROC / 'stat'} has no boot time")
