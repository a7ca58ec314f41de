"""What `giornale serve` costs: processor time until it is ready, and memory (Linux only).

    python -m benchmarks.processes [RUNS]

Memory is PSS: a page that several processes share counts once (`/proc/*/smaps_rollup`).
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.running import processes, running_service

_RUNS = 3
_SETTLE_SECONDS = 3.0
_TICKS = os.sysconf("SC_CLK_TCK")
_KIB = 1024

# Fields of /proc/PID/stat behind the name in brackets: time in user mode, in the kernel, and both
# of the children that have ended.
_TIMES = slice(11, 15)


class Process(NamedTuple):
    """What a process has used: seconds of a processor and bytes of memory."""

    name: str
    seconds: float
    pss: int


def main(arguments: list[str]) -> None:
    """Start the service so many times and print the medians, and each process of the last run."""
    runs = int(arguments[0]) if arguments else _RUNS
    measured = [measure() for _ in range(runs)]

    seconds = median(sum(one.seconds for one in run[0]) for run in measured)
    pss = median(sum(one.pss for one in run[1]) for run in measured)
    print(
        f"until ready: {seconds:.2f} s of a processor, {median(run[2] for run in measured):.2f} s"
    )
    print(f"PSS of all processes: {pss / 1e6:.0f} MB")
    for one in measured[-1][1]:
        print(f"  {one.pss / 1e6:6.1f} MB  {one.seconds:5.2f} s  {one.name}")


def measure() -> tuple[list[Process], list[Process], float]:
    """Return the processes as the service is ready, the same later, and the seconds until ready."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as data, running_service(Path(data)) as service:
        took = time.monotonic() - began
        ready = tree(service.process.pid)
        time.sleep(_SETTLE_SECONDS)
        return ready, tree(service.process.pid), took


def tree(root: int) -> list[Process]:
    """Return a process and all below it."""
    below: dict[int, list[int]] = {}
    for pid, (parent, _arguments) in processes().items():
        below.setdefault(parent, []).append(pid)

    found = [root]
    for above in found:
        found.extend(below.get(above, []))
    return [look(pid) for pid in found]


def look(pid: int) -> Process:
    """Return what a process has used."""
    place = Path("/proc") / str(pid)
    fields = (place / "stat").read_text().rpartition(")")[2].split()
    ticks = sum(map(int, fields[_TIMES]))
    rollup = (place / "smaps_rollup").read_text()
    pss = next(line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:"))
    name = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    return Process(name[:60], ticks / _TICKS, int(pss) * _KIB)


if __name__ == "__main__":
    main(sys.argv[1:])
