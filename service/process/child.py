"""One child process of `giornale serve`, which is a fork of it.

The supervisor has loaded all that children run, so they are ready at once and share its memory. It
has no threads: only so a fork is safe.
"""

import http.client
import multiprocessing
import os
import pkgutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.context import ForkProcess

from redis.exceptions import RedisError
from setproctitle import setproctitle

from service.process.logs import Console

_FORKS = multiprocessing.get_context("fork")


# What the supervisor handles, and a child does not.
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

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


def how_it_ended(exit_code: int) -> str:
    """Return how a process ended; below 0 an exit code is the negative number of a signal."""
    if exit_code < 0:
        return f"signal {signal.Signals(-exit_code).name}"
    return f"exit code {exit_code}"


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals wait, so that none reaches a child while it has the supervisor's handlers."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(name: str, run: str, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Become a child, in a session of its own, so that Ctrl-C reaches the supervisor alone."""
    setproctitle(f"giornale {name}")
    os.setsid()
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    os.environ.clear()
    os.environ.update(environment)
    sys.exit(pkgutil.resolve_name(run)(*arguments))


@dataclass(slots=True)
class Child:
    """A child process.

    run: the function that it runs, as "module:function".   arguments: of that function.
    ready: whether the process of an id is ready.
    patience: seconds without a sign of life after which it counts as hanging.
    overlaps: whether what is left of it may go on until the next one is ready.
    needs_journal: whether it cannot start while the bundled server does not answer.
    announced: whether the console has said that the running process is ready.
    started_at, ready_at: when it was started and announced, on the supervisor's clock.
    """

    name: str
    run: str
    ready: Callable[[int], bool]
    arguments: tuple[str, ...] = ()
    patience: float = 10.0
    overlaps: bool = False
    needs_journal: bool = True
    process: ForkProcess | None = None
    announced: bool = False
    started_at: float = 0.0
    ready_at: float = 0.0

    _draining: int = 0  # the group of a crashed process that others still belong to
    _asked_to_end: bool = False
    _restarts: Restarts = field(default_factory=Restarts)

    @property
    def pid(self) -> int | None:
        """Its process id, None while it does not run."""
        return None if self.process is None else self.process.pid

    @property
    def console(self) -> Console:
        """Where it is said what becomes of it."""
        return Console(self.name)

    def start(self, environment: dict[str, str]) -> None:
        """Start the process."""
        self.announced = False
        self._restarts.note_start()

        process = _FORKS.Process(
            target=_begin,
            name=self.name,
            args=(self.name, self.run, self.arguments, environment),
        )
        try:
            with _signals_held():
                process.start()
        except OSError:  # there is no room for another process now
            self._restarts.note_crash()
        else:
            self.process = process

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
        return None if self.process is None else self.process.exitcode

    def is_ready(self) -> bool:
        """Return whether the process has proven that it is ready."""
        if self.pid is None:
            return False

        try:
            return self.ready(self.pid)
        except (OSError, RedisError, http.client.HTTPException):
            return False

    def reap(self) -> None:
        """Clear away a crashed process and plan its next start.

        What it has started goes on until the next one is ready, if the two may overlap.
        """
        self._restarts.note_crash()

        goes_on = self.overlaps and self.announced and not self._draining
        if goes_on and self.pid is not None:
            self._draining = self.pid
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

    def kill(self) -> None:
        """Kill the process."""
        if self.process is not None:
            self.process.kill()
            self.process.join()

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

        self.process.join(max(0.0, deadline - time.monotonic()))
        self._kill_session()

    def _kill_session(self) -> None:
        """Kill the process and what is left of its session."""
        if self.process is None or self.pid is None:
            return

        _kill_group(self.pid, signal.SIGKILL)
        self.kill()  # also before it has a session
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
