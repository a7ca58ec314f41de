"""The cost of the processes of `giornale serve` until everything is ready, and then (Linux only).

Processor time, and memory as PSS. A page shared by several processes counts once in it
(`/proc/*/smaps_rollup`).
"""

import os
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.measure import Figures, show
from benchmarks.web import whole_service
from tests.running import processes

RUNS = 3

# Fields of /proc/PID/stat behind the name in brackets: time in user mode, in the kernel, and both
# of the ended children.
_TIMES = slice(11, 15)


class Process(NamedTuple):
    """The resources of a process: seconds of a processor and bytes of memory."""

    name: str
    seconds: float
    pss: int


def look(pid: int) -> Process:
    """Return the resources of a process."""
    place = Path("/proc") / str(pid)
    fields = (place / "stat").read_text().rpartition(")")[2].split()
    ticks = sum(map(int, fields[_TIMES]))
    rollup = (place / "smaps_rollup").read_text()
    pss = next(line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:"))
    name = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    return Process(name[:60], ticks / os.sysconf("SC_CLK_TCK"), int(pss) * 1024)


def tree(root: int) -> list[Process]:
    """Return a process and all below it."""
    parents = {pid: parent for pid, (parent, _arguments) in processes().items()}
    pids = [root]
    for above in pids:
        pids += [pid for pid, parent in parents.items() if parent == above]
    return [look(pid) for pid in pids if Path(f"/proc/{pid}").exists()]  # `ps` has ended


def main() -> Figures:
    """Start the service some times. Print the medians, and each process of the last run."""
    seconds, memory = [], []
    for _ in range(RUNS):
        with whole_service() as service:
            seconds.append(sum(one.seconds for one in tree(service.process.pid)))
            time.sleep(3)  # until nothing more is loaded
            settled = tree(service.process.pid)
            memory.append(sum(one.pss for one in settled))

    show("until ready, of a processor", {"all": median(seconds)}, "s")
    show("PSS of all processes", {"together": median(memory) / 1e6}, "MB")
    for one in settled:
        print(f"  {one.pss / 1e6:6.1f} MB  {one.seconds:5.2f} s  {one.name}")
    return []
