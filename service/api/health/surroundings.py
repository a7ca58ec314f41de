"""What is measured only when somebody asks: build, processes, workers, journal, disk.

Unlike the counters of `service.base.metrics`, these belong to no single process. So they are looked
up instead of added up. Answers are kept for some seconds: asking often costs the journal no more.
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

# Numbers of fields of /proc/PID/stat, as proc(5) counts them; the name in brackets is field 2.
_FIRST_AFTER_NAME = 3
_THREADS = 20
_START_TICKS = 22
_RESIDENT_PAGES = 24


@dataclass(frozen=True, slots=True)
class _JournalFigures:
    """What the journal answers.

    listed: how many public matches there are, by status.
    has_gone_back: it has lost commits, and nobody has accepted that yet.
    log: how far the log goes.   clock_set_backs: how often its clock was set back.
    """

    memory: Memory
    listed: Mapping[str, int]
    commits: int
    has_gone_back: bool
    log: Order
    clock_set_backs: int


@dataclass(frozen=True, slots=True)
class _QueueFigures:
    """What the queues answer.

    workers: names by queue.   failures: counts by queue.   times_run_out: of how many seats.
    webhook_calls, witness_calls: how many webhooks, and witnesses, were called, by outcome.
    """

    workers: Mapping[str, list[str]]
    scheduler: str | None
    failures: Mapping[str, int]
    times_run_out: int
    webhook_calls: Mapping[str, int]
    witness_calls: Mapping[str, int]


class Surroundings(Collector):
    """All that is looked up, as Prometheus' metrics. What does not answer now is left out."""

    def __init__(self, journal: Journal, queues: Queues, data: Path) -> None:
        self._journal = journal
        self._queues = queues
        self._data = data

        self._lock = threading.Lock()
        self._kept: bytes = b""
        self._kept_until = 0.0

    def exposition(self) -> bytes:
        """Return the metrics as text, at most KEPT_SECONDS old."""
        with self._lock:
            if monotonic() >= self._kept_until:
                registry = CollectorRegistry()
                registry.register(self)
                self._kept = generate_latest(registry)
                self._kept_until = monotonic() + KEPT_SECONDS

            return self._kept

    def describe(self) -> Iterable[Metric]:
        """Return nothing, so that registering this collector looks nothing up."""
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
            "Free space where the data directory lies.",
            usage.free,
        )
        yield _gauge(
            "giornale_data_size_bytes",
            "Size of the disk on which the data directory lies.",
            usage.total,
        )

    def _journal_metrics(self) -> Iterator[Metric]:
        figures = _answer_or_none(self._ask_journal)
        yield _gauge(
            "giornale_journal_up",
            "Whether the journal answers: 1 or 0.",
            int(figures is not None),
        )
        if figures is None:
            return

        yield _gauge(
            "giornale_journal_memory_bytes",
            "Memory that the journal's server has in use.",
            figures.memory.used,
        )
        yield _gauge(
            "giornale_journal_memory_limit_bytes",
            "Memory that it may use before it refuses more; 0: any.",
            figures.memory.bound,
        )
        yield CounterMetricFamily(
            "giornale_journal_commits",
            "Commits ever appended, of deleted matches too.",
            value=figures.commits,
        )
        yield CounterMetricFamily(
            "giornale_clock_set_backs",
            "Times that the clock of the journal's server was set back by more than 5 seconds.",
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
            "Whether the journal has lost commits, and nobody has accepted that yet: 1 or 0.",
            int(figures.has_gone_back),
        )
        yield CounterMetricFamily(
            "giornale_log_entries",
            "Entries of the log, as its checkpoint says.",
            value=figures.log.published,
        )
        yield _gauge(
            "giornale_log_cosigned_entries",
            "Entries of the log, as the newest checkpoint says that enough witnesses have signed.",
            figures.log.cosigned_size,
        )
        yield _gauge(
            "giornale_log_stopped",
            "Whether the log stands still, and /readyz says why: 1 or 0.",
            int(bool(figures.log.stopped)),
        )

    def _queue_metrics(self) -> Iterator[Metric]:
        figures = _answer_or_none(self._ask_queues)
        yield _gauge(
            "giornale_queues_up",
            "Whether the queues' server answers: 1 or 0.",
            int(figures is not None),
        )
        if figures is None:
            return

        yield _gauge_by_label(
            "giornale_workers",
            "Workers alive, by queue.",
            "queue",
            {queue: len(names) for queue, names in figures.workers.items()},
        )
        is_up = int(bool(figures.scheduler))
        yield _gauge(
            "giornale_scheduler_up",
            "Whether a scheduler was at work in the last seconds: 1 or 0.",
            is_up,
        )
        yield _gauge("giornale_keeper_up", "The former name of giornale_scheduler_up.", is_up)

        failed_jobs = CounterMetricFamily(
            "giornale_failed_jobs",
            "Jobs that failed, by queue, since the queues' server was emptied.",
            labels=["queue"],
        )
        for queue, count in figures.failures.items():
            failed_jobs.add_metric([queue], count)
        yield failed_jobs
        yield CounterMetricFamily(
            "giornale_times_run_out",
            "Seats whose time has run out, since the queues' server was emptied.",
            value=figures.times_run_out,
        )
        yield _outcomes("giornale_webhook_calls", "Calls of webhooks", figures.webhook_calls)
        yield _outcomes("giornale_witness_calls", "Questions to witnesses", figures.witness_calls)

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
    """Return the answer of a server, None if it does not give one."""
    try:
        return question()
    except (JournalError, RedisError):
        return None


def _build_metric() -> Metric:
    build = GaugeMetricFamily(
        "giornale_build_info",
        "Always 1; what runs stands in the labels.",
        labels=["version", "python", "machine"],
    )
    labels = [release(), platform.python_version(), platform.machine()]
    build.add_metric(labels, 1)
    return build


def _web_metrics() -> Iterator[Metric]:
    """Yield what the web processes use together; nothing outside Linux."""
    web_processes = _living_web_processes()
    if not web_processes:
        return

    yield _gauge(
        "giornale_web_processes",
        "Processes that serve HTTP.",
        len(web_processes),
    )
    yield _gauge(
        "giornale_web_resident_memory_bytes",
        "Memory of the web processes, added up.",
        sum(process.resident_bytes for process in web_processes),
    )
    yield _gauge(
        "giornale_web_open_fds",
        "Open files of the web processes, added up.",
        sum(process.files for process in web_processes),
    )
    yield _gauge(
        "giornale_web_max_fds",
        "Files that the web processes may open, added up.",
        sum(process.most_files for process in web_processes),
    )
    yield _gauge(
        "giornale_web_threads",
        "Threads of the web processes, added up.",
        sum(process.threads for process in web_processes),
    )
    yield _gauge(
        "giornale_web_start_time_seconds",
        "When the youngest web process started, since the epoch.",
        max(process.started for process in web_processes),
    )


def _living_web_processes() -> "list[Process]":
    """Return what each web process uses; where they do not share their metrics, this one alone."""
    pids = metrics.web_processes() or [os.getpid()]
    looks = [look(pid) for pid in pids]
    return [process for process in looks if process is not None]


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _outcomes(name: str, what: str, counts: Mapping[str, int]) -> Metric:
    """Return a counter that has one value for each outcome."""
    text = f"{what}, by outcome, since the queues' server was emptied."
    counter = CounterMetricFamily(name, text, labels=["outcome"])
    for outcome, count in counts.items():
        counter.add_metric([outcome], count)
    return counter


def _gauge_by_label(name: str, text: str, label: str, values: Mapping[str, int]) -> Metric:
    """Return a gauge that has one value for each value of a label."""
    gauge = GaugeMetricFamily(name, text, labels=[label])
    for label_value, number in values.items():
        gauge.add_metric([label_value], number)
    return gauge


# ---- what a process uses, as Linux shows it under /proc; other systems show nothing ----------


@dataclass(frozen=True, slots=True)
class Process:
    """What one process uses.

    files: open ones.   most_files: how many may be open, 0 for any number.
    started: seconds since the epoch.
    """

    resident_bytes: int
    threads: int
    files: int
    most_files: int
    started: float


def look(pid: int) -> Process | None:
    """Return what a process uses now.

    None if it has ended, belongs to another user, or the system does not show it.
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
    """Return how many files may be open, 0 for any number; limits: the text of /proc/PID/limits."""
    for line in limits.splitlines():
        if line.startswith("Max open files"):
            soft_limit = line.split()[3]
            return int(soft_limit) if soft_limit.isdigit() else 0
    return 0


@cache
def _boot_time() -> int:
    """Return when the system started, in seconds since the epoch.

    Raises OSError where it does not say.
    """
    for line in (_PROC / "stat").read_text().splitlines():
        if line.startswith("btime "):
            return int(line.split()[1])
    raise OSError(f"{_PROC / 'stat'} does not say when the system started")
