"""One child process of `giornale serve`."""

import http.client
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from redis.exceptions import RedisError

from service.process.restarts import Restarts

_STOP_SECONDS = 15


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
    needs_journal: whether it cannot start while the bundled server does not answer.
    announced: whether the user was told that the running process is ready.
    """

    name: str
    command: list[str]
    ready: Callable[[int], bool]
    needs_journal: bool = True
    process: subprocess.Popen[bytes] | None = None
    announced: bool = False

    _restarts: Restarts = field(default_factory=Restarts)

    def start(self, environment: dict[str, str]) -> None:
        """Start the process in its own session, so that Ctrl-C reaches the supervisor alone."""
        self.process = subprocess.Popen(
            self.command,
            env=environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._restarts.note_start()
        self.announced = False

    def due(self) -> bool:
        """Return whether there is no process and it is time to start one."""
        return self.process is None and self._restarts.due

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
        """Clear away a crashed process and plan its next start."""
        self._restarts.note_crash()
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
