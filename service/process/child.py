"""One child process of `giornale serve`."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from redis.exceptions import RedisError

from service.process.logs import Console

_STOP_SECONDS = 15  # for all children together

# So long a process and what is left of the last one serve side by side: the new one has said that
# it is ready, and now begins to listen.
HANDOVER_SECONDS = 0.5
_DRAINING_SECONDS = 3.0  # to finish the requests at hand

# A process that served for longer than this has not crashed in a row with the last one.
_STEADY_SECONDS = 1.0

_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 3.0


class StartFailed(Exception):
    """A child process did not come up; the message says which."""


class Restarts:
    """The starts and crashes of one process, and when it may start again.

    One that has served starts again at once, however often it is killed. The pause grows with
    each crash before it is ready, or just after that; the first such crash has none.
    """

    def __init__(self) -> None:
        self.crashes_in_a_row = 0
        self._ready_at: float | None = None
        self._start_again_at = 0.0

    @property
    def due(self) -> bool:
        """Whether it is time to start."""
        return time.monotonic() >= self._start_again_at

    def note_start(self) -> None:
        """Note that it was started."""
        self._ready_at = None

    def note_ready(self) -> None:
        """Note that it serves."""
        self._ready_at = time.monotonic()

    def note_crash(self) -> None:
        """Note that it has ended, and plan its next start."""
        now = time.monotonic()
        has_served = self._ready_at is not None and now - self._ready_at >= _STEADY_SECONDS
        self.crashes_in_a_row = 1 if has_served else self.crashes_in_a_row + 1
        self._ready_at = None
        self._start_again_at = now + _pause_after(self.crashes_in_a_row)


def _pause_after(crashes: int) -> float:
    """Return how many seconds to wait after so many crashes in a row."""
    if crashes <= 1:
        return 0.0

    doublings = min(crashes - 2, 10)  # a float has an end
    return min(_FIRST_PAUSE_SECONDS * 2.0**doublings, _LONGEST_PAUSE_SECONDS)


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs one of our modules.

    -P keeps Python from importing what lies in the current directory.
    """
    return [sys.executable, "-P", "-m", module, *arguments]


@dataclass(slots=True)
class Child:
    """A child process.

    command: what starts it.
    ready: whether the process of an id is ready.
    patience: seconds without a sign of life after which it counts as hanging.
    overlaps: whether what is left of it may go on until the next one is ready.
    needs_journal: whether it cannot start while the bundled server does not answer.
    announced: whether the console has said that the running process is ready.
    started_at, ready_at: when it was started and announced, on the supervisor's clock.
    """

    name: str
    command: list[str]
    ready: Callable[[int], bool]
    patience: float = 10.0
    overlaps: bool = False
    needs_journal: bool = True
    process: subprocess.Popen[bytes] | None = None
    announced: bool = False
    started_at: float = 0.0
    ready_at: float = 0.0

    _draining: int = 0  # the group of a crashed process that others still belong to
    _asked_to_end: bool = False
    _restarts: Restarts = field(default_factory=Restarts)

    @property
    def console(self) -> Console:
        """Where it is said what becomes of it."""
        return Console(self.name)

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

    def note_ready(self, clock: float) -> None:
        """Note that the process is ready, and that the user knows."""
        self.announced = True
        self.ready_at = clock
        self._restarts.note_ready()

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
        """Clear away a crashed process and plan its next start.

        What it has started goes on until the next one is ready, if the two may overlap.
        """
        self._restarts.note_crash()

        goes_on = self.overlaps and self.announced and not self._draining
        if goes_on and self.process is not None:
            self._draining = self.process.pid
            self._asked_to_end = False
            self.process = None
        else:
            self._kill_session()

    def end_draining(self, clock: float) -> None:
        """End what is left of the last process, soon after this one has become ready."""
        if not self._draining or not self.announced:
            return

        ready_for = clock - self.ready_at
        if ready_for > HANDOVER_SECONDS and not self._asked_to_end:
            self._asked_to_end = True
            _kill_group(self._draining, signal.SIGTERM)
        if ready_for > HANDOVER_SECONDS + _DRAINING_SECONDS:
            self._kill_draining()

    def ask_to_stop(self) -> None:
        """Ask the process to end, without waiting until it has."""
        self._kill_draining()
        if self.process is not None:
            self.process.terminate()

    def wait_for_end(self, deadline: float) -> None:
        """Wait for a process that was asked to end, then end it and all that it has started.

        deadline: until when it may end by itself (time.monotonic).
        """
        if self.process is None:
            return

        with suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.0, deadline - time.monotonic()))
        self._kill_session()

    def _kill_session(self) -> None:
        """Kill what is left of the process's session, and collect the exit code of the process."""
        if self.process is None:
            return

        _kill_group(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = None

    def _kill_draining(self) -> None:
        if self._draining:
            _kill_group(self._draining, signal.SIGKILL)
        self._draining = 0


def stop_together(children: Sequence[Child]) -> None:
    """End children and all that they have started: ask all of them first, then wait for each."""
    for child in children:
        child.ask_to_stop()

    deadline = time.monotonic() + _STOP_SECONDS
    for child in children:
        child.wait_for_end(deadline)


def _kill_group(group: int, signal_number: signal.Signals) -> None:
    """Send a signal to every process of a group, if there is any."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal_number)
