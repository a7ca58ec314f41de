"""One child process, a fork of the supervisor.

The supervisor has loaded the code of all children, so the children start fast and share its memory.
The supervisor has no threads, because a fork of a process with threads is not safe.
"""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.context import ForkProcess
from typing import Any

from setproctitle import setproctitle

from service.ops.process.logs import Console

_FORKS = multiprocessing.get_context("fork")

# The signals that the supervisor handles. A child begins with their default actions.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# A process that was ready for this long ends a row of crashes.
_STEADY_SECONDS = 1.0

_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 3.0


class StartFailed(Exception):
    """A child process did not come up. The message names the process."""


class Restarts:
    """The crashes of one process, and the time of its next start.

    The first crash of a row has no pause. Each further crash has a longer pause, up to
    _LONGEST_PAUSE_SECONDS. The crash of a process that was ready for _STEADY_SECONDS begins a new
    row, so such a process starts again at once, even if it is killed often.
    """

    def __init__(self) -> None:
        self.crashes_in_a_row = 0
        self._ready_at: float | None = None
        self._start_again_at = 0.0

    @property
    def due(self) -> bool:
        """True if it is time to start."""
        return time.monotonic() >= self._start_again_at

    def note_ready(self) -> None:
        """Note that the process serves."""
        self._ready_at = time.monotonic()

    def note_crash(self) -> None:
        """Note the end of the process, and plan its next start."""
        now = time.monotonic()
        has_served = self._ready_at is not None and now - self._ready_at >= _STEADY_SECONDS
        self.crashes_in_a_row = 1 if has_served else self.crashes_in_a_row + 1
        self._ready_at = None
        self._start_again_at = now + _pause_after(self.crashes_in_a_row)


def _pause_after(crashes: int) -> float:
    """Return the pause after a number of crashes in a row, in seconds."""
    if crashes <= 1:
        return 0.0

    doublings = min(crashes - 2, 10)  # no overflow of the float
    return min(_FIRST_PAUSE_SECONDS * 2.0**doublings, _LONGEST_PAUSE_SECONDS)


def how_it_ended(exit_code: int) -> str:
    """Describe an exit code. Below 0 it is the negative number of a signal."""
    if exit_code < 0:
        try:
            return f"signal {signal.Signals(-exit_code).name}"
        except ValueError:  # most real-time signals have no name
            return f"signal {-exit_code}"
    return f"exit code {exit_code}"


@dataclass(slots=True)
class Child:
    """A child process.

    run: function of the process.   arguments: arguments of the function.
    patience: seconds without a heartbeat after which the process counts as hanging.
    stop_seconds: time to end after SIGTERM.
    needs_journal: True if the process cannot start without a ready journal.
    announced: True if the console has reported the running process as ready.
    started_at: time of the start on the supervisor's clock.
    """

    name: str
    run: Callable[..., int | None]
    arguments: tuple[Any, ...] = ()
    patience: float = 10.0
    stop_seconds: float = 15.0
    needs_journal: bool = True
    process: ForkProcess | None = None
    announced: bool = False
    started_at: float = 0.0

    _restarts: Restarts = field(default_factory=Restarts)

    @property
    def pid(self) -> int | None:
        """The process id, None without a process."""
        return None if self.process is None else self.process.pid

    @property
    def console(self) -> Console:
        """The console for messages about the child."""
        return Console(self.name)

    @property
    def due(self) -> bool:
        """True if there is no process and it is time to start one."""
        return self.process is None and self._restarts.due

    @property
    def exit_code(self) -> int | None:
        """The exit code of an ended process, None for a running one or none."""
        return None if self.process is None else self.process.exitcode

    def start(self, environment: Mapping[str, str], clock: float) -> None:
        """Start the process. Raises OSError if the system refuses another one now.

        clock: the time on the supervisor's clock.
        """
        self.announced = False
        self.started_at = clock
        arguments = (self.name, self.run, self.arguments, environment)
        process = _FORKS.Process(target=_begin, name=self.name, args=arguments)
        try:
            with _block_signals():
                _try_to_fork()
                process.start()
        except OSError:
            self._restarts.note_crash()
            raise
        self.process = process

    def note_ready(self) -> None:
        """Note that the process is ready and was reported to the user."""
        self.announced = True
        self._restarts.note_ready()

    def note_crash(self) -> None:
        """Forget a process that has ended, and plan its next start."""
        self.process = None
        self._restarts.note_crash()

    def kill(self) -> None:
        """Kill the process."""
        if self.process is not None:
            self.process.kill()
            self.process.join()

    def wait_for_end(self, deadline: float) -> None:
        """Wait for the end of a process after SIGTERM, and kill it at the deadline.

        deadline: a time of time.monotonic.
        """
        if self.process is not None:
            self.process.join(max(0.0, deadline - time.monotonic()))
            self.kill()


def stop_together(children: Sequence[Child]) -> None:
    """End children: send SIGTERM to all of them first, then wait for each."""
    for child in children:
        if child.process is not None:
            child.process.terminate()

    asked_at = time.monotonic()
    for child in children:
        child.wait_for_end(asked_at + child.stop_seconds)


@contextmanager
def _block_signals() -> Iterator[None]:
    """Block signals, so that none reaches a child while it has the supervisor's handlers."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _try_to_fork() -> None:
    """Raise OSError if the system refuses a fork.

    A refused fork of `multiprocessing` leaves its pipes open. A supervisor that retries for minutes
    would use up its open files.
    """
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _begin(
    name: str,
    run: Callable[..., int | None],
    arguments: Sequence[Any],
    environment: Mapping[str, str],
) -> None:
    """Run as a child in a session of its own, so that Ctrl-C reaches only the supervisor."""
    setproctitle(f"giornale {name}")
    os.setsid()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    os.environ.clear()
    os.environ.update(environment)
    sys.exit(run(*arguments))
