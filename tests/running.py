"""`giornale serve` as a child process of a test, watched line by line."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 15.0
COMMAND = (sys.executable, "-m", "service.cli")  # `giornale`


def until(condition: Callable[[], Any], what: str) -> Any:
    """Return the first true value of the condition; fails after PATIENCE seconds."""
    deadline, pause = time.monotonic() + PATIENCE, threading.Event()
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        pause.wait(0.02)
    return value


def processes() -> dict[int, tuple[int, str]]:
    """Return parent and command line of every process that is not a zombie."""
    command = ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = (line.split(None, 3) for line in listed.stdout.splitlines())
    return {
        int(pid): (int(parent), args)
        for pid, parent, stat, args in rows
        if not stat.startswith("Z")
    }


class RunningService:
    """A running house: what it says, who belongs to it, what it answers."""

    def __init__(self, directory: Path, command: Sequence[str] = COMMAND, **settings: str) -> None:
        self.directory = directory
        plain = {
            name: value for name, value in os.environ.items() if not name.startswith("GIORNALE_")
        }
        self.process = subprocess.Popen(
            [*command, "serve"],
            env=plain | {"GIORNALE_DATA": str(directory), "GIORNALE_PORT": "0", **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said: list[str] = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def hears(self, wanted: str) -> str:
        """Return the next line that begins with these words."""
        while True:
            line = self._lines.get(timeout=PATIENCE)
            assert line is not None, "\n".join(["it has ended and said:", *self.said])
            self.said.append(line)
            if line.startswith(wanted):
                return line

    def family(self) -> dict[str, int]:
        """Return the process ids of the house's children by what they are."""
        children = {
            args: pid for pid, (parent, args) in processes().items() if parent == self.process.pid
        }
        marks = {"web": "service.cli web", "scoring": "workers scoring", "bots": "workers bots",
                 "exhibitions": "workers exhibitions", "audits": "workers audits",
                 "keeper": "workers keeper", "journal": "-server "}  # fmt: skip
        return {
            name: pid
            for name, mark in marks.items()
            for args, pid in children.items()
            if mark in args
        }

    @property
    def url(self) -> str:
        """Where the house serves."""
        return next(line for line in reversed(self.said) if line.startswith("http"))

    def ask(self, path: str, body: Any = None) -> Any:
        """Return the JSON that a GET, or a POST of a body, is answered with."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310
            self.url + path, data, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310
            return json.load(answer)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, wait for the end and return the exit code."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> int:
        """Wait for the end and return the exit code."""
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code


@contextmanager
def running_service(
    directory: Path, command: Sequence[str] = COMMAND, **settings: str
) -> Iterator[RunningService]:
    """A house that has said its URL, ended at the end."""
    running = RunningService(directory, command, **settings)
    try:
        running.hears("http://")
        yield running
    finally:
        running.end()
