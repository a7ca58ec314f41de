"""What a process uses, as Linux shows it under /proc; other systems show nothing there."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PROC = Path("/proc")

# Numbers of fields of /proc/PID/stat, as proc(5) counts them; the name in brackets is field 2.
_FIRST_AFTER_NAME = 3
_THREADS = 20
_START_TICKS = 22
_RESIDENT_PAGES = 24


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
