"""Processes that the tests of the examples start and ask over HTTP."""

import os
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 90  # longer than elsewhere: six processes start at once
STOP_SECONDS = 30
GENTLE_ENDS = (0, -signal.SIGTERM)

Environ = Mapping[str, str]


def without_settings() -> dict[str, str]:
    """Return this process's environment without settings of Giornale."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIORNALE_")}


@contextmanager
def process(
    command: Sequence[str], environ: Environ, directory: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process in a directory; at the end it gets SIGTERM, and fails if it ends otherwise."""
    started = subprocess.Popen(command, env=environ, cwd=directory, stdout=subprocess.DEVNULL)
    try:
        yield started
    finally:
        started.send_signal(signal.SIGTERM)
        assert started.wait(STOP_SECONDS) in GENTLE_ENDS


def in_time(condition: Callable[[], bool], what: str) -> None:
    """Wait for a condition; fail after START_SECONDS."""
    deadline = time.monotonic() + START_SECONDS
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        pause.wait(0.1)


def status_of(url: str) -> int:
    """Return the status of the answer at a URL, 0 if nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 - an address of a test
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0
