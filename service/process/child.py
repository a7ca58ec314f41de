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

# A process that ran longer than this has not crashed in a row with the last one.
_STEADY_SECONDS = 10

_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 3.0


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs one of our modules.

    -P keeps Python from importing what lies in the current directory.
    """
    return [sys.executable, "-P", "-m", module, *arguments]


@dataclass(slots=True)
class Child:
    """A child process.

    command: what starts it.
    ready: tells of a process id whether that process is ready.
    announced: whether the user was told that the running process is ready.
    """

    name: str
    command: list[str]
    ready: Callable[[int], bool]
    process: subprocess.Popen[bytes] | None = None
    announced: bool = False

    _crashes_in_a_row: int = 0
    _started_at: float = 0.0
    _start_again_at: float = 0.0

    def start(self, environment: dict[str, str]) -> None:
        """Start the process in its own session, so that Ctrl-C reaches the supervisor alone."""
        self.process = subprocess.Popen(
            self.command,
            env=environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._started_at = time.monotonic()
        self.announced = False

    def due(self) -> bool:
        """Return whether there is no process and it is time to start one."""
        return self.process is None and time.monotonic() >= self._start_again_at

    def exit_code(self) -> int | None:
        """Return the exit code of a process that has ended by itself, None if it has not."""
        return None if self.process is None else self.process.poll()

    def is_ready(self) -> bool:
        """Return whether the process has proven that it is ready."""
        if self.process is None:
            return False

        try:
            return self.ready(self.process.pid)
        except (OSError, RedisError, http.client.HTTPException):
            return False

    def reap(self) -> None:
        """Clear away a crashed process and plan its next start.

        After the first crash it starts at once; the pause grows with each crash that follows soon.
        """
        now = time.monotonic()
        was_steady = now - self._started_at > _STEADY_SECONDS
        self._crashes_in_a_row = 1 if was_steady else self._crashes_in_a_row + 1

        pause = _pause_after(self._crashes_in_a_row)
        self._start_again_at = now + pause
        self._kill_session()

    def stop(self) -> None:
        """End the process and all that it has started: gently, then at once."""
        if self.process is None:
            return

        self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_STOP_SECONDS)
        self._kill_session()

    def _kill_session(self) -> None:
        """Kill what is left of the process's session, and collect the exit code of the process."""
        if self.process is None:
            return

        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = None


def _pause_after(crashes: int) -> float:
    """Return how many seconds to wait after so many crashes in a row."""
    if crashes == 1:
        return 0.0
    return min(_FIRST_PAUSE_SECONDS * 2.0**crashes, _LONGEST_PAUSE_SECONDS)
