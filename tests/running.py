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
from unittest.mock import patch

# Seconds that a test waits for anything: longer than `giornale serve` waits for a slow part.
PATIENCE = 75.0
POLL_SECONDS = 0.01  # from one look to the next, at first. Later pauses are longer
LONGEST_POLL_SECONDS = 0.1
COMMAND = (sys.executable, "-m", "workers.giornale")  # `giornale`

LOOPBACK = "127.0.0.1"

# Process id, parent, status and command line of each process, a line each (POSIX).
LIST_PROCESSES = ("ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args=")

# The command line of each child of `giornale serve`, or a part of it.
MARKS = {
    "web": "giornale web",
    "house": "giornale house",
    "bots": "giornale bots",
    "exhibitions": "giornale exhibitions",
    "audits": "giornale audits",
    "advice": "giornale advice",
    "scheduler": "giornale scheduler",
    "journal": "-server ",
}


def until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Return the first true value of the condition. Fail after some seconds."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    pause_seconds = POLL_SECONDS

    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        pause.wait(pause_seconds)
        pause_seconds = min(1.2 * pause_seconds, LONGEST_POLL_SECONDS)


def address_of(number: int) -> str:
    """Return the address of a simulated client: one of its own on Linux, since that routes 127/8.

    A service gives one address only a share of its permits to work. Elsewhere all clients share one
    address.
    """
    return f"127.1.{number // 250}.{1 + number % 250}" if sys.platform == "linux" else LOOPBACK


@contextmanager
def no_threads() -> Iterator[None]:
    """Let no thread start, as in a system out of threads."""

    def cannot_start(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with patch.object(threading.Thread, "start", cannot_start):
        yield


def environment(**settings: str) -> dict[str, str]:
    """Return this process's environment with these GIORNALE_ variables and no others."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIORNALE_")}
    return plain | settings


def processes() -> dict[int, tuple[int, str]]:
    """Return parent and command line of every process that is not a zombie."""
    listed = subprocess.run(
        LIST_PROCESSES,
        capture_output=True,
        text=True,
        check=True,
    )

    by_pid: dict[int, tuple[int, str]] = {}
    for line in listed.stdout.splitlines():
        pid, parent, status, arguments = line.split(None, 3)
        is_zombie = status.startswith("Z")
        if not is_zombie:
            by_pid[int(pid)] = (int(parent), arguments)

    return by_pid


def wait_and_close(process: subprocess.Popen[str], reader: threading.Thread) -> int:
    """Wait for the end of a process and return its exit code. Kill one that does not end, and fail.

    reader: the reader thread of the process's output. It closes the pipe when that has ended,
    so that no later test is blamed for an open one.
    """
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
    finally:
        reader.join(PATIENCE)


class RunningService:
    """A running `giornale serve`: its output, its processes and its answers."""

    def __init__(self, directory: Path, command: Sequence[str] = COMMAND, **settings: str) -> None:
        self.directory = directory
        own_settings = {
            "GIORNALE_DATA": str(directory),
            "GIORNALE_PORT": "0",
        }
        self.process = subprocess.Popen(
            [*command, "serve"],
            env=environment(**own_settings | settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

        self.lines: list[str] = []
        self._unread: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        """Read its output, line by line, and None at the end."""
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                self._unread.put(line.rstrip("\n"))
        self._unread.put(None)

    def wait_for_line(self, beginning: str) -> str:
        """Return the next line with this beginning. Fail if the service ends before."""
        while True:
            line = self._next_line()
            self.lines.append(line)
            if line.startswith(beginning):
                return line

    def _next_line(self) -> str:
        """Return the next line. Fail if the service is silent or has ended."""
        try:
            line = self._unread.get(timeout=PATIENCE)
        except queue.Empty:
            raise AssertionError("\n".join(["it is silent and has said:", *self.lines])) from None
        assert line is not None, "\n".join(["it has ended and said:", *self.lines])
        return line

    def children(self) -> dict[str, int]:
        """Return the process ids of its children by their names."""
        listed = processes()
        pids: dict[str, int] = {}
        for pid, (parent, arguments) in listed.items():
            if parent != self.process.pid:
                continue

            for name, mark in MARKS.items():
                if arguments == mark or (name == "journal" and mark in arguments):
                    pids[name] = pid

        return pids

    @property
    def url(self) -> str:
        """The URL of the service."""
        return next(line for line in reversed(self.lines) if line.startswith("http"))

    def ask(self, path: str, body: Any = None, seconds: float = PATIENCE) -> Any:
        """Return the JSON that a GET, or a POST of a body, is answered with within some seconds."""
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(  # noqa: S310
            self.url + path,
            data=content,
            headers=headers,
        )

        with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310
            return json.load(answer)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, wait for the end and return the exit code."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait for the end and return the exit code. Kill a process that does not end."""
        return wait_and_close(self.process, self._reader)


@contextmanager
def running_service(
    directory: Path,
    command: Sequence[str] = COMMAND,
    **settings: str,
) -> Iterator[RunningService]:
    """A service that has said its URL, ended at the end."""
    service = RunningService(directory, command, **settings)
    try:
        service.wait_for_line("http://")
        yield service
    finally:
        service.end()
