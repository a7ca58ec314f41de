"""Processes that the tests of the examples start, and ask over HTTP."""

import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.running import PATIENCE

GENTLE_ENDS = (0, -signal.SIGTERM)


@contextmanager
def process(
    command: Sequence[str], environ: Mapping[str, str], directory: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process in a directory. End it by SIGTERM. Fail for another end."""
    started = subprocess.Popen(command, env=environ, cwd=directory, stdout=subprocess.DEVNULL)
    try:
        yield started
    finally:
        started.send_signal(signal.SIGTERM)
        assert started.wait(PATIENCE) in GENTLE_ENDS


def status_of(url: str) -> int:
    """Return the status of the answer at a URL, 0 if nothing answers."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310 - an address of a test
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return 0
