"""Heartbeats: the signs of life of a process for its supervisor, and its end without a supervisor.

A thread of each process writes a line into a named pipe every second. If the process is stopped, so
is the thread. Heartbeats need neither Redis nor the disk. Once nobody reads the pipe, the
supervisor is gone, and the process ends.

A process with a loop calls `beat` in each round of the loop. Without a call for STILL_SECONDS the
loop counts as hanging, and the thread writes no more.
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

# Environment variables for children: the pipe and, outside Linux, the process id of the server.
PIPE = "_GIORNALE_BEATS"
SERVER = "_GIORNALE_SERVER"

BEAT_SECONDS = 1.0

# A worker's loop comes round at least every 15 seconds, and after each job of up to 20 seconds. A
# round of the scheduler may have much to do.
STILL_SECONDS = 120.0

# Caps of the time between two looks. In a longer time the process or the machine was stopped.
_LONGEST_STILL_SECONDS = 2.0
_LONGEST_TICK_SECONDS = 1.0

_GRACE_SECONDS = 10

_MEMORY = Path("/dev/shm")  # noqa: S108 - only a directory is created there
_PIPE_NAME = "beats"
_PREFIX = "giornale-"
_READ_BYTES = 65536


# ---- in a child ------------------------------------------------------------------------------


class Heartbeat:
    """The thread that writes heartbeats, from the first `beat` on until nobody reads them.

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
        """Note that the process goes on.

        loops: True if the process calls this regularly, and hangs if it stops doing so.
        """
        self._loops = loops
        self._still_seconds = 0.0
        if not self._has_begun:
            self._has_begun = True
            self._write()  # at once: the process is ready

    def _run(self) -> None:
        """Write a line every second until nobody reads the pipe, then end the process."""
        looked_at = time.monotonic()

        while not self._is_alone():
            now = time.monotonic()
            self._still_seconds += min(now - looked_at, _LONGEST_STILL_SECONDS)
            looked_at = now

            hangs = self._loops and self._still_seconds > STILL_SECONDS
            if self._has_begun and not hangs:
                self._write()

        shutil.rmtree(Path(self._pipe).parent, ignore_errors=True)  # another process may be faster
        self._at_end()

    def _is_alone(self) -> bool:
        """Wait for a second. Return True as soon as nobody reads the pipe."""
        if self._descriptor is None:
            return True
        unread = select.poll()
        unread.register(self._descriptor, 0)  # wakes only if nobody reads
        return bool(unread.poll(BEAT_SECONDS * 1000))

    def _write(self) -> None:
        """Write a line. A full pipe drops it."""
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
    """End this process once its supervisor is gone. A process started by hand goes on."""
    global _own
    pipe = os.environ.get(PIPE)
    if pipe:
        _own = Heartbeat(pipe, _end)


def beat(*, loops: bool = True) -> None:
    """Note that this process goes on. The first call means that it is ready, too.

    loops: as in `Heartbeat.beat`.
    """
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
    """A clock of the seconds in which this process ran and looked around.

    After a sleep of the machine or a stop of `giornale serve` all children would seem silent. So
    each tick counts for a second at most.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._ticked_at = time.monotonic()

    def tick(self) -> None:
        """Advance the clock. Call this several times a second."""
        now = time.monotonic()
        self.seconds += min(now - self._ticked_at, _LONGEST_TICK_SECONDS)
        self._ticked_at = now


class Watchdog:
    """The reader of the heartbeats of all children.

    pipe: path of the pipe, in a directory of this supervisor alone, in memory if the system can. A
        child that ends without its supervisor removes the directory.

    Raises DataUnusable if no directory can be created.
    """

    def __init__(self, clock: ActiveClock) -> None:
        self._clock = clock
        self._heard_at: dict[int, float] = {}

        self.pipe = _own_directory() / _PIPE_NAME
        os.mkfifo(self.pipe, 0o600)
        # Open for writing, too: with no writer left, reads would meet the end of the file.
        self._descriptor = os.open(self.pipe, os.O_RDWR | os.O_NONBLOCK)
        register_after_fork(self, Watchdog._hear_no_more)

    def close(self) -> None:
        """Stop reading, and remove the pipe."""
        self._hear_no_more()
        shutil.rmtree(self.pipe.parent, ignore_errors=True)

    def _hear_no_more(self) -> None:
        """Close the pipe, in each child too. Otherwise the child would be a reader of the pipe."""
        with suppress(OSError):  # closed already
            os.close(self._descriptor)
        self._descriptor = -1

    def listen(self) -> None:
        """Read all new heartbeats. Lines are whole, because each is one short write."""
        with suppress(BlockingIOError):
            while lines := os.read(self._descriptor, _READ_BYTES):
                heard = dict.fromkeys(map(int, lines.split()), self._clock.seconds)
                self._heard_at.update(heard)

    def has_heard(self, pid: int | None) -> bool:
        """Return True if a process has sent a heartbeat."""
        return pid in self._heard_at

    def is_silent(self, pid: int | None, seconds: float) -> bool:
        """Return True if the last heartbeat of a process is older than `seconds`.

        False for a process without any heartbeat.
        """
        heard_at = self._heard_at.get(pid or 0, self._clock.seconds)
        return self._clock.seconds - heard_at > seconds

    def forget(self, pid: int | None) -> None:
        """Forget an ended process: another one may soon have its id."""
        self._heard_at.pop(pid or 0, None)


def _own_directory() -> Path:
    """Return a new directory for this user alone. Raises DataUnusable."""
    memory = str(_MEMORY) if os.access(_MEMORY, os.W_OK) else None
    try:
        return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=memory))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataUnusable(f"TMPDIR: no temporary directory can be made: {reason}") from None
