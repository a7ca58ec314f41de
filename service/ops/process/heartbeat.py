"""Heartbeat: what a process tells its supervisor while it lives, and when it ends without it.

Each process writes a line into a named pipe every second, from a thread. A process that is stopped
or deadlocked writes none. Neither Redis nor the disk is needed for it. Where nobody reads the pipe
any more the supervisor has gone, and the process ends.

`beat` says that the process's loop goes on. A loop that has not said so for STILL_SECONDS hangs,
and its thread is silent then, too.
"""

import os
import select
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.util import register_after_fork
from pathlib import Path

from service.base.datadir import DataUnusable

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

_GRACE_SECONDS = 10

_MEMORY = Path("/dev/shm")  # noqa: S108 - a directory is made there, never a file
_PIPE_NAME = "beats"
_PREFIX = "giornale-"
_READ_BYTES = 65536


# ---- in the process that lives ---------------------------------------------------------------


class Heartbeat:
    """The thread that beats for this process from the first `beat` on, until nobody listens.

    at_end: ends the process.
    """

    def __init__(self, pipe: str, at_end: Callable[[], object]) -> None:
        self._line = f"{os.getpid()}\n".encode()
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
        """Write a line every second until nobody reads it, then end the process."""
        looked_at = time.monotonic()

        while not self._is_alone():
            now = time.monotonic()
            self._still_seconds += min(now - looked_at, _LONGEST_STILL_SECONDS)
            looked_at = now

            hangs = self._loops and self._still_seconds > STILL_SECONDS
            if self._has_begun and not hangs:
                self._write()

        shutil.rmtree(Path(self._pipe).parent, ignore_errors=True)  # another may be faster
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


def end_with_parent() -> None:
    """End this process when its supervisor has gone; one that was started by hand goes on."""
    global _own
    pipe = os.environ.get(PIPE)
    if pipe:
        _own = Heartbeat(pipe, _end)


def beat(*, loops: bool = True) -> None:
    """Say that this process goes on; the first time also that it is ready."""
    if _own is not None:
        _own.beat(loops=loops)


def _end() -> None:
    """End this process, and outside Linux the bundled server."""
    server = os.environ.get(SERVER)
    if server:
        with suppress(ProcessLookupError):
            os.kill(int(server), signal.SIGTERM)

    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_SECONDS)
    os._exit(1)


# ---- in the supervisor --------------------------------------------------------------------------


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


class Watchdog:
    """The pipe into which all processes write, and what was read there.

    pipe: lies in a directory for this supervisor alone, in memory where the system can. The
    directory goes with the last process that writes there.   Raises DataUnusable where none can be
    made.
    """

    def __init__(self, clock: ActiveClock) -> None:
        self._clock = clock
        self._heard_at: dict[int, float] = {}

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
        """Take in what was written since the last time; a line is written at once."""
        with suppress(BlockingIOError):
            while lines := os.read(self._descriptor, _READ_BYTES):
                heard = dict.fromkeys(map(int, lines.split()), self._clock.seconds)
                self._heard_at.update(heard)

    def has_heard(self, pid: int | None) -> bool:
        """Return whether a process has beaten."""
        return pid in self._heard_at

    def is_silent(self, pid: int | None, seconds: float) -> bool:
        """Return whether a process has beaten, and not for longer than so many seconds since."""
        heard_at = self._heard_at.get(pid or 0, self._clock.seconds)
        return self._clock.seconds - heard_at > seconds

    def forget(self, pid: int | None) -> None:
        """Forget a process that has ended: its number may be another's soon."""
        self._heard_at.pop(pid or 0, None)


def _own_directory() -> Path:
    """Return a new directory for this user alone; raises DataUnusable."""
    memory = str(_MEMORY) if os.access(_MEMORY, os.W_OK) else None
    try:
        return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=memory))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataUnusable(f"TMPDIR: no temporary directory can be made: {reason}") from None
