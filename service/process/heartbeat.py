"""Heartbeat: what a process tells `giornale serve` while it lives, and when it ends without it.

Each process writes a line into a named pipe every second, from a thread. A process that is stopped
or deadlocked writes none. Neither Redis nor the disk is needed for it. Where nobody reads the pipe
any more `giornale serve` has gone, and the process ends.

`beat` says that the process's loop goes on. A loop that has not said so for STILL_SECONDS hangs,
and its thread is silent then, too.
"""

import multiprocessing
import os
import select
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.util import register_after_fork
from pathlib import Path

from service.datadir import DataUnusable

# Variables by which the supervisor names the pipe and, outside Linux, the bundled server.
PIPE = "_GIORNALE_BEATS"
SERVER = "_GIORNALE_SERVER"

BEAT_SECONDS = 1.0

# A worker's loop goes round at least every 15 seconds, and after each job, which may take 20. A
# round of the scheduler may have much to do.
STILL_SECONDS = 120.0

# A longer time between two looks is not believed: the process or the machine was stopped.
_LONGEST_STILL_SECONDS = 2.0
_LONGEST_TICK_SECONDS = 1.0

_POLL_SECONDS = 0.5
_GRACE_SECONDS = 10

_PIPE_NAME = "beats"
_PREFIX = "giornale-"
_READ_BYTES = 65536


# ---- in the process that lives ---------------------------------------------------------------


class Heartbeat:
    """The thread that beats for this process from the first `beat` on, until nobody listens.

    at_end: ends the process.   group: the process that the supervisor has started, if that is
    another one.
    """

    def __init__(self, pipe: str, at_end: Callable[[], object], group: int | None = None) -> None:
        pid = os.getpid()
        self._line = f"{pid} {group or pid}\n".encode()
        self._pipe = pipe
        self._at_end = at_end
        self._has_begun = False
        self._loops = False
        self._still_seconds = 0.0

        self._descriptor: int | None = None
        with suppress(OSError):  # nobody reads the pipe
            self._descriptor = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        threading.Thread(target=self._run, name="heartbeat", daemon=True).start()

    def beat(self, *, loops: bool) -> None:
        """Say that the process goes on; loops: whether it will say so again, or else hangs."""
        self._loops = loops
        self._still_seconds = 0.0
        if not self._has_begun:
            self._has_begun = True
            self._write()  # at once: it is ready

    def _run(self) -> None:
        """Write a line every second until nobody reads it, then end the process.

        Granian forks while this runs, so no lock is taken here.
        """
        looked_at = time.monotonic()

        while not self._is_alone():
            now = time.monotonic()
            self._still_seconds += min(now - looked_at, _LONGEST_STILL_SECONDS)
            looked_at = now

            hangs = self._loops and self._still_seconds > STILL_SECONDS
            if self._has_begun and not hangs:
                self._write()

        _remove(self._pipe)
        self._at_end()

    def _is_alone(self) -> bool:
        """Wait for a second, or until nobody reads the pipe; return whether that is so."""
        if self._descriptor is None:
            return True
        unread = select.poll()
        unread.register(self._descriptor, 0)  # hears only that nobody reads
        return bool(unread.poll(BEAT_SECONDS * 1000))

    def _write(self) -> None:
        """Write a line; a full pipe loses it."""
        if self._descriptor is None:
            return
        try:
            os.write(self._descriptor, self._line)
        except BlockingIOError:
            pass
        except OSError:  # nobody reads the pipe
            self._descriptor = None


_own: Heartbeat | None = None


def end_with_parent(group: int | None = None) -> None:
    """End this process when `giornale serve` has gone, or else what has started it.

    A process that was started by hand, or by another program, goes on.   group: the process that
    `giornale serve` has started, if that is another one.
    """
    global _own
    pipe = os.environ.get(PIPE)
    if pipe:
        _own = Heartbeat(pipe, _end, group)
    elif multiprocessing.parent_process() is not None:
        threading.Thread(target=_end_after_parent, name="parent-watch", daemon=True).start()


def beat(*, loops: bool = True) -> None:
    """Say that this process goes on; the first time also that it is ready."""
    if _own is not None:
        _own.beat(loops=loops)


def _end_after_parent() -> None:
    parent = multiprocessing.parent_process()
    while parent is not None and os.getppid() == parent.pid:
        time.sleep(_POLL_SECONDS)
    _end()


def _end() -> None:
    """End this process, and outside Linux the bundled server."""
    server = os.environ.get(SERVER)
    if server:
        with suppress(ProcessLookupError):
            os.kill(int(server), signal.SIGTERM)

    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_SECONDS)
    os._exit(1)


def _remove(pipe: str) -> None:
    """Remove the pipe of a supervisor that was killed, and its directory."""
    directory = Path(pipe).parent
    with suppress(OSError):  # another process was faster
        for path in directory.iterdir():
            path.unlink()
        directory.rmdir()


# ---- in `giornale serve` ---------------------------------------------------------------------


class ActiveClock:
    """Seconds in which this process ran and looked around.

    When a machine sleeps, or `giornale serve` is stopped, everything else was silent, too, and
    nobody is to blame. So each tick counts for a second at most.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._ticked_at = time.monotonic()

    def tick(self) -> None:
        """Note that this process runs; call this several times a second."""
        now = time.monotonic()
        self.seconds += min(now - self._ticked_at, _LONGEST_TICK_SECONDS)
        self._ticked_at = now


@dataclass(frozen=True, slots=True)
class _Beat:
    """The last beat of a process.

    group: the process that the supervisor has started.   heard_at: on the supervisor's clock.
    """

    group: int
    heard_at: float


class Watchdog:
    """The pipe into which all processes write, and what was read there.

    Raises DataUnusable where no directory for temporary files can be written.
    """

    def __init__(self, clock: ActiveClock) -> None:
        self._clock = clock
        self._beats: dict[int, _Beat] = {}

        self.pipe = _own_directory() / _PIPE_NAME
        os.mkfifo(self.pipe, 0o600)
        # Also for writing: without a writer here the pipe would end with its last writer.
        self._descriptor = os.open(self.pipe, os.O_RDWR | os.O_NONBLOCK)
        register_after_fork(self, Watchdog._hear_no_more)

    def close(self) -> None:
        """Hear no more, and remove the pipe."""
        self._hear_no_more()
        shutil.rmtree(self.pipe.parent, ignore_errors=True)

    def _hear_no_more(self) -> None:
        """Close the pipe, in a child, too: one that it could read would never seem unread."""
        with suppress(OSError):  # it is closed already
            os.close(self._descriptor)
        self._descriptor = -1

    def listen(self) -> None:
        """Take in what was written since the last time."""
        for line in self._read().splitlines():
            pid, _, group = line.partition(" ")
            self._beats[int(pid)] = _Beat(int(group), self._clock.seconds)

    def has_heard(self, pid: int) -> bool:
        """Return whether a process has beaten."""
        return pid in self._beats

    def members(self, group: int) -> list[int]:
        """Return the other processes of a group that have beaten."""
        return [pid for pid, last in self._beats.items() if last.group == group and pid != group]

    def silence(self, pid: int) -> float:
        """Return for how many seconds a process has not beaten."""
        return self._clock.seconds - self._beats[pid].heard_at

    def silent(self, group: int, seconds: float) -> Iterator[int]:
        """Yield the processes of a group that have been silent for longer than so many seconds.

        Those that have ended are forgotten.
        """
        for pid in [group, *self.members(group)]:
            if not self.has_heard(pid) or self.silence(pid) <= seconds:
                continue

            del self._beats[pid]
            if _is_of_group(pid, group):
                yield pid

    def _read(self) -> str:
        """Return all whole lines that are there; a line is written at once."""
        pieces: list[bytes] = []
        with suppress(BlockingIOError):
            while True:
                pieces.append(os.read(self._descriptor, _READ_BYTES))
        return b"".join(pieces).decode()


def _own_directory() -> Path:
    """Return a new directory for this user alone; raises DataUnusable."""
    try:
        return Path(tempfile.mkdtemp(prefix=_PREFIX))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataUnusable(f"TMPDIR: no temporary directory can be made: {reason}") from None


def _is_of_group(pid: int, group: int) -> bool:
    """Return whether a process lives and is one of a group: its number may be another's by now."""
    try:
        return os.getpgid(pid) == group
    except ProcessLookupError:
        return False
