"""What the processes of `giornale serve` cost, and how long nothing is acknowledged after a kill.

Processor time until everything is ready, and memory (Linux only): PSS, in which a page that several
processes share counts once (`/proc/*/smaps_rollup`). Then clients open matches all the time, and
the web's main process is killed again and again: the longest time between two acknowledged openings
around each kill.
"""

import os
import signal
import threading
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

import httpx

from benchmarks.measure import show
from benchmarks.web import whole_service
from tests.running import RunningService, processes

RUNS = 3
SETTLE_SECONDS = 3.0
KILLS = 10
CLIENTS = 4
ANSWER_SECONDS = 2.0
KILL_SETTLE_SECONDS = 5.0  # after the new process is ready; what is left of the last one ends then
MATCH = {"game": "calimala", "seats": [{"kind": "human"}] * 3}

# Fields of /proc/PID/stat behind the name in brackets: time in user mode, in the kernel, and both
# of the children that have ended.
_TIMES = slice(11, 15)


class Process(NamedTuple):
    """What a process has used: seconds of a processor and bytes of memory."""

    name: str
    seconds: float
    pss: int


def look(pid: int) -> Process:
    """Return what a process has used."""
    place = Path("/proc") / str(pid)
    fields = (place / "stat").read_text().rpartition(")")[2].split()
    ticks = sum(map(int, fields[_TIMES]))
    rollup = (place / "smaps_rollup").read_text()
    pss = next(line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:"))
    name = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    return Process(name[:60], ticks / os.sysconf("SC_CLK_TCK"), int(pss) * 1024)


def tree(root: int) -> list[Process]:
    """Return a process and all below it."""
    below: dict[int, list[int]] = {}
    for pid, (parent, _arguments) in processes().items():
        below.setdefault(parent, []).append(pid)

    found = [root]
    for above in found:
        found.extend(below.get(above, []))
    return [look(pid) for pid in found]


def measure_starts() -> None:
    """Start the service some times; print the medians, and each process of the last run."""
    seconds, memory = [], []
    for _ in range(RUNS):
        with whole_service() as service:
            seconds.append(sum(one.seconds for one in tree(service.process.pid)))
            time.sleep(SETTLE_SECONDS)
            settled = tree(service.process.pid)
            memory.append(sum(one.pss for one in settled))

    print(f"until ready: {median(seconds):.2f} s of a processor")
    print(f"PSS of all processes: {median(memory) / 1e6:.0f} MB")
    for one in settled:
        print(f"  {one.pss / 1e6:6.1f} MB  {one.seconds:5.2f} s  {one.name}")


def open_matches(url: str, acknowledged: list[float], enough: threading.Event) -> None:
    """Open matches, each on a new connection, and note when they were acknowledged."""
    while not enough.is_set():
        with suppress(httpx.HTTPError):
            httpx.post(f"{url}/v1/matches", json=MATCH, timeout=ANSWER_SECONDS).raise_for_status()
            acknowledged.append(time.monotonic())


def gap_of_a_kill(service: RunningService, acknowledged: list[float]) -> float:
    """Kill the web's main process; return the longest gap until the next one serves alone."""
    began = time.monotonic() - 1
    os.kill(service.children()["web"], signal.SIGKILL)
    service.wait_for_line("web      ready again")
    time.sleep(KILL_SETTLE_SECONDS)
    times = sorted(moment for moment in acknowledged if moment >= began)
    return max(later - earlier for earlier, later in pairwise(times))


def measure_kills() -> None:
    """Kill the web's main process under load; print the gaps."""
    acknowledged: list[float] = []
    enough = threading.Event()
    with whole_service() as service:
        arguments = (service.url, acknowledged, enough)
        clients = [threading.Thread(target=open_matches, args=arguments) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        try:
            time.sleep(1)
            gaps = [gap_of_a_kill(service, acknowledged) for _ in range(KILLS)]
        finally:
            enough.set()
            for client in clients:
                client.join()

    show("nothing acknowledged after a kill", {"median": median(gaps), "longest": max(gaps)}, "s")


def main() -> None:
    """Measure both."""
    measure_starts()
    measure_kills()
