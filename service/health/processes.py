"""What a process takes, as Linux tells it under /proc; elsewhere nothing is known."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PROC = Path("/proc")
_AFTER_NAME = 3  # the number of the first field of `stat` after the name in brackets, proc(5)
_THREADS = 20
_STARTED = 22
_RESIDENT = 24


@dataclass(frozen=True, slots=True)
class Process:
    """started: seconds since the epoch.   files, most_files: open ones, and how many may be."""

    resident_bytes: int
    threads: int
    files: int
    most_files: int
    started: float


def look(pid: int) -> Process | None:
    """Return what a process takes now, None if it has ended, is another user's, or the system does not tell."""
    place = _PROC / str(pid)
    try:
        after_name = (place / "stat").read_text().rpartition(")")[2].split()
        files = len(list((place / "fd").iterdir()))
        limits = (place / "limits").read_text()
        booted = _booted()
    except OSError:
        return None

    def field(number: int) -> int:
        return int(after_name[number - _AFTER_NAME])

    return Process(
        resident_bytes=field(_RESIDENT) * os.sysconf("SC_PAGE_SIZE"),
        threads=field(_THREADS),
        files=files,
        most_files=_soft_limit(limits),
        started=booted + field(_STARTED) / os.sysconf("SC_CLK_TCK"),
    )


def _soft_limit(limits: str) -> int:
    """Return how many files may be open, 0 for any number."""
    line = next(line for line in limits.splitlines() if line.startswith("Max open files"))
    soft = line.split()[3]
    return int(soft) if soft.isdigit() else 0


@cache
def _booted() -> int:
    """Return when the system started, in seconds since the epoch."""
    lines = (_PROC / "stat").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("btime "))
