"""Metrics for Prometheus. Web processes add them up in a shared directory."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
    values,
)
from prometheus_client.mmap_dict import MmapedDict

from service.base.environment import METRICS_DIRECTORY

# Each process counts alone until it calls `share`, even if the operator has named a directory. By
# default prometheus_client counts in that directory in every process that imports it.
values.ValueClass = values.MutexValue

# Upper ends of the histograms' buckets, in seconds.
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)

# Ways of prometheus_client to combine the gauges of several processes.
_SUM_OF_LIVING: Final = "livesum"
_LAST_SET: Final = "mostrecent"

# prometheus_client names these files, one a process: gauge_livesum_PID.db
_LIVE_FILES = "gauge_live*.db"
_FILES = "*_*.db"
_LOCK = "lock"
_DEAD = 0  # in place of the ids of dead processes. `_is_alive` is always true for 0

REQUESTS = Histogram(
    "giornale_request_seconds",
    "Time to answer a request, in seconds, by operation and status. For a stream, the time to "
    "its start.",
    ["operation", "status"],
    buckets=_BUCKETS,
)
APPENDS = Histogram(
    "giornale_append_seconds",
    "Time to append a commit to the journal, in seconds.",
    buckets=_BUCKETS,
)
CONFLICTS = Counter(
    "giornale_conflicts",
    "Appends that lost the race against another commit.",
)
REPEATS = Counter(
    "giornale_idempotent_hits",
    "Repeated requests answered like the first one with their idempotency key.",
)
REPLAYED = Counter(
    "giornale_replayed_commits",
    "Commits folded to compute a present or past state of a match.",
)
STREAMS = Gauge(
    "giornale_streams",
    "Open streams, waiting long polls and other long answers.",
    multiprocess_mode=_SUM_OF_LIVING,
)
SHED = Counter(
    "giornale_shed_requests",
    "Requests refused with 503 for lack of room, by kind of room.",
    ["wanted"],
)
AT_WORK = Gauge(
    "giornale_working_requests",
    "Requests being answered, without probes.",
    multiprocess_mode=_SUM_OF_LIVING,
)
WAITING = Gauge(
    "giornale_waiting_requests",
    "Requests queued for their turn.",
    multiprocess_mode=_SUM_OF_LIVING,
)
READING = Gauge(
    "giornale_reading_bodies",
    "Request bodies the service is waiting for.",
    multiprocess_mode=_SUM_OF_LIVING,
)
PENDING = Gauge(
    "giornale_pending_matches",
    "Matches waiting for the house or a bot.",
    multiprocess_mode=_LAST_SET,
)
PENDING_AGE = Gauge(
    "giornale_pending_age_seconds",
    "Age of the oldest pending match, in seconds.",
    multiprocess_mode=_LAST_SET,
)
PARKED = Gauge(
    "giornale_parked_matches",
    "Matches parked because the house or a bot failed too often.",
    multiprocess_mode=_LAST_SET,
)
QUEUED = Gauge(
    "giornale_queued_jobs",
    "Queued jobs by queue.",
    ["queue"],
    multiprocess_mode=_LAST_SET,
)
_LABELLED = (REQUESTS, SHED, QUEUED)
_COUNTS = (APPENDS, CONFLICTS, REPEATS, REPLAYED)
_UNLABELLED = (*_COUNTS, STREAMS, AT_WORK, WAITING, READING, PENDING, PENDING_AGE, PARKED)


def _show_shed() -> None:
    """Show the counters of refusals as 0 from the start, so that the first refusal is a rise."""
    for purpose in ("work", "body", "answer"):
        SHED.labels(purpose)


_show_shed()


def share(directory: Path) -> None:
    """Have this process add its metrics to a shared directory. Call this before any metric counts.

    prometheus_client takes the directory's name from the environment.
    """
    os.environ.pop(METRICS_DIRECTORY, None)  # else `clear` would warn
    for labelled in _LABELLED:
        labelled.clear()

    os.environ[METRICS_DIRECTORY] = str(directory)
    values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]
    for metric in _UNLABELLED:
        metric._metric_init()
    _show_shed()


def exposition() -> bytes:
    """Return the metrics of this process, or of all that share metrics, for Prometheus."""
    directory = _shared_directory()
    if directory is None:
        return generate_latest()

    with _locked(directory):
        _merge_dead_processes(directory)
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def web_processes() -> list[int]:
    """Return the ids of the living processes that share metrics, [] if this one counts alone."""
    directory = _shared_directory()
    if directory is None:
        return []

    with _locked(directory):
        _merge_dead_processes(directory)
    return sorted({_process_of(file) for file in directory.glob(_LIVE_FILES)})


def _shared_directory() -> Path | None:
    """Return the directory of this process's shared metrics, None if it counts alone."""
    is_shared = values.ValueClass is not values.MutexValue
    return Path(os.environ[METRICS_DIRECTORY]) if is_shared else None


def _process_of(file: Path) -> int:
    """Return the id of the process behind a file of the shared directory."""
    return int(file.stem.rpartition("_")[2])


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Let one process at a time read and merge the files of the shared directory."""
    with (directory / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _merge_dead_processes(directory: Path) -> None:
    """Add up the files of dead processes in one file for each kind, and remove them.

    The files of `livesum` gauges are only removed, since such a gauge counts present work.
    """
    gauges = set(directory.glob(_LIVE_FILES))
    for file in directory.glob(_FILES):
        if _is_alive(_process_of(file)):
            continue
        if file not in gauges:
            _add_to_dead(file)
        file.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the process belongs to another user
        return True
    return True


def _add_to_dead(file: Path) -> None:
    """Add the values of a file to those of earlier dead processes.

    Of a gauge only the latest value counts.
    """
    kind = file.stem.rpartition("_")[0]
    total = MmapedDict(str(file.with_name(f"{kind}_{_DEAD}.db")))  # type: ignore[no-untyped-call]
    try:
        for key, value, time, _ in MmapedDict.read_all_values_from_file(str(file)):  # type: ignore[no-untyped-call]
            before, time_before = total.read_value(key)  # type: ignore[no-untyped-call]
            if not kind.startswith("gauge"):
                total.write_value(key, before + value, time)  # type: ignore[no-untyped-call]
            elif time > time_before:
                total.write_value(key, value, time)  # type: ignore[no-untyped-call]
    finally:
        total.close()  # type: ignore[no-untyped-call]
