"""One child process of `giornale serve`."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from redis.exceptions import RedisError

_STOP_SECONDS = 15
_STEADY_SECONDS = 10
_LONGEST_PAUSE = 3.0


def python(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs a module of ours; -P: what lies in the current directory is not imported."""
    return [sys.executable, "-P", "-m", module, *arguments]


@dataclass(slots=True)
class Part:
    """A child process: its command, and how to prove that the process of an id is ready."""

    name: str
    command: list[str]
    ready: Callable[[int], bool]
    process: subprocess.Popen[bytes] | None = None
    told: bool = False
    _crashes: int = 0
    _started: float = 0.0
    _due: float = 0.0

    def start(self, environment: dict[str, str]) -> None:
        """Start the process in a session of its own, so that Ctrl-C reaches the supervisor alone."""
        self.process = subprocess.Popen(
            self.command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
        )
        self._started, self.told = time.monotonic(), False

    def due(self) -> bool:
        """Return whether the process is away and it is time to start it."""
        return self.process is None and time.monotonic() >= self._due

    def ended(self) -> int | None:
        """Return the exit code of a process that has ended by itself, None if it has not."""
        return None if self.process is None else self.process.poll()

    def is_ready(self) -> bool:
        """Return whether the process has proven ready."""
        try:
            return self.process is not None and self.ready(self.process.pid)
        except (OSError, RedisError, http.client.HTTPException):
            return False

    def bury(self) -> None:
        """Clear away a crashed process; the more often in a row, the longer the pause before the next start."""
        steady = time.monotonic() - self._started > _STEADY_SECONDS
        self._crashes = 1 if steady else self._crashes + 1
        self._due = time.monotonic() + (
            0 if self._crashes == 1 else min(0.2 * 2**self._crashes, _LONGEST_PAUSE)
        )
        self._sweep()

    def stop(self) -> None:
        """End the process and all that it has started: gently, then at once."""
        if self.process is not None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_STOP_SECONDS)
            self._sweep()

    def _sweep(self) -> None:
        """Kill what is left of the process's session, and reap the process."""
        if self.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None
