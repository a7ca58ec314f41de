"""One child process of the supervisor, which is a fork of it.

The supervisor has loaded all that children run, so they are ready at once and share its memory. It
has no threads: only so a fork is safe.
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

# What the supervisor handles, and a child does not.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# A process that served for longer than this has not crashed in a row with the last one.
_STEADY_SECONDS = 1.0

_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 3.0


class StartFailed(Exception):
    """A child process did not come up; the message says which."""


class Restarts:
    """The crashes of one process, and when it may start again.

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


def how_it_ended(exit_code: int) -> str:
    """Return how a process ended; below 0 an exit code is the negative number of a signal."""
    if exit_code < 0:
        try:
            return f"signal {signal.Signals(-exit_code).name}"
        except ValueError:  # a real-time signal, most of which have no name
            return f"signal {-exit_code}"
    return f"exit code {exit_code}"


@dataclass(slots=True)
class Child:
    """A child process.

    run: the function that it runs.   arguments: of that function.
    patience: seconds without a heartbeat after which it counts as hanging.
    stop_seconds: so long it may take to end when it is asked to.
    needs_journal: whether it cannot start while the bundled server does not answer.
    announced: whether the console has said that the running process is ready.
    started_at: when it was started, on the supervisor's clock.
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
        """Its process id, None while it does not run."""
        return None if self.process is None else self.process.pid

    @property
    def console(self) -> Console:
        """Where it is said what becomes of it."""
        return Console(self.name)

    @property
    def due(self) -> bool:
        """Whether there is no process and it is time to start one."""
        return self.process is None and self._restarts.due

    @property
    def exit_code(self) -> int | None:
        """The exit code of a process that has ended by itself, None if it has not."""
        return None if self.process is None else self.process.exitcode

    def start(self, environment: Mapping[str, str], clock: float) -> None:
        """Start the process; raises OSError where there is no room for another one now."""
        self.announced = False
        self.started_at = clock
        arguments = (self.name, self.run, self.arguments, environment)
        process = _FORKS.Process(target=_begin, name=self.name, args=arguments)
        try:
            with _signals_held():
                _try_to_fork()
                process.start()
        except OSError:
            self._restarts.note_crash()
            raise
        self.process = process

    def note_ready(self) -> None:
        """Note that the process is ready, and that the user knows."""
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
        """Wait for a process that was asked to end, then kill it.

        deadline: until when it may end by itself (time.monotonic).
        """
        if self.process is not None:
            self.process.join(max(0.0, deadline - time.monotonic()))
            self.kill()


def stop_together(children: Sequence[Child]) -> None:
    """End children: ask all of them first, then wait for each."""
    for child in children:
        if child.process is not None:
            child.process.terminate()

    asked_at = time.monotonic()
    for child in children:
        child.wait_for_end(asked_at + child.stop_seconds)


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals wait, so that none reaches a child while it has the supervisor's handlers."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _try_to_fork() -> None:
    """Raise OSError if the system refuses a fork.

    Where the fork of `multiprocessing` is refused, its pipes stay open. A supervisor that tries it
    for minutes would have no file left when there is room again.
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
    """Become a child, in a session of its own, so that Ctrl-C reaches the supervisor alone."""
    setproctitle(f"giornale {name}")
    os.setsid()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    os.environ.clear()
    os.environ.update(environment)
    sys.exit(run(*arguments))
