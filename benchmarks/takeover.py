"""How long nothing is acknowledged when the web's main process is killed under load.

`python -m benchmarks.takeover [KILLS]` starts a service on a new directory, has four clients open
matches all the time, and kills the main process again and again. It prints the longest time
between two acknowledged openings around each kill, with the median and the longest of all.
"""

import json
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from tests.running import RunningService, running_service

CLIENTS = 4
KILLS = 10
ANSWER_SECONDS = 2.0
SETTLED_SECONDS = 5.0  # after the new process is ready; what is left of the last one ends then
MATCH = {"game": "calimala", "seats": [{"kind": "human"}] * 3}


class Load:
    """Clients that open matches, each on a new connection, and when they were acknowledged."""

    def __init__(self, url: str) -> None:
        self.acknowledged: list[float] = []
        self._url = url
        self._enough = threading.Event()
        self._clients = [threading.Thread(target=self._open_on) for _ in range(CLIENTS)]
        for client in self._clients:
            client.start()

    def stop(self) -> None:
        """Open no more matches."""
        self._enough.set()
        for client in self._clients:
            client.join()

    def longest_gap(self, since: float) -> float:
        """Return the longest time between two acknowledged openings, in seconds."""
        times = sorted(moment for moment in self.acknowledged if moment >= since)
        return max(later - earlier for earlier, later in pairwise(times))

    def _open_on(self) -> None:
        request = urllib.request.Request(  # noqa: S310 - its own service
            f"{self._url}/v1/matches",
            data=json.dumps(MATCH).encode(),
            headers={"Content-Type": "application/json"},
        )
        while not self._enough.is_set():
            with (
                suppress(OSError),
                urllib.request.urlopen(request, timeout=ANSWER_SECONDS),  # noqa: S310
            ):
                self.acknowledged.append(time.monotonic())


def gap_of_a_kill(service: RunningService, load: Load) -> float:
    """Kill the web's main process; return the longest gap until the next one serves alone."""
    began = time.monotonic() - 1
    os.kill(service.children()["web"], signal.SIGKILL)
    service.wait_for_line("web      ready again")
    time.sleep(SETTLED_SECONDS)
    return load.longest_gap(began)


def main(kills: int) -> None:
    """Kill so often, and print the gaps."""
    with (
        tempfile.TemporaryDirectory() as directory,
        running_service(Path(directory), GIORNALE_OPENINGS="0") as service,
    ):
        load = Load(service.url)
        try:
            time.sleep(1)
            gaps = [gap_of_a_kill(service, load) for _ in range(kills)]
        finally:
            load.stop()

    print("gaps:", ", ".join(f"{gap:.2f} s" for gap in gaps))
    print(f"median {statistics.median(gaps):.2f} s, longest {max(gaps):.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else KILLS)
