"""Signs of life, which a process gives and `giornale serve` hears.

Each process writes a line into a named pipe every second, from a thread. A process that is stopped
or deadlocked writes none. Neither Redis nor the disk is needed for it.

`sign` says that the process's own loop goes on. A loop that has not said so for STILL_SECONDS
hangs, and its thread is silent then, too.
"""

import errno
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

# The variable that names the pipe.
PIPE = "_GIORNALE_SIGNS"

BEAT_SECONDS = 1.0

# A worker's loop goes round at least every 15 seconds, and after each job, which may take 20. A
# round of the keeper may have much to do.
STILL_SECONDS = 120.0

# A longer time between two looks is not believed: the process or the machine was stopped.
_LONGEST_TICK_SECONDS = 2.0


class Life:
    """The signs of this process.

    loops: whether its loop calls `sign`, so that its silence counts.
    group: the process that the supervisor has started, if that is another one.
    """

    def __init__(self, pipe: str, *, loops: bool, group: int | None = None) -> None:
        self.pid = os.getpid()
        self.supervisor_gone = threading.Event()

        self._line = f"{self.pid} {group or self.pid}\n".encode()
        self._pipe = pipe
        self._loops = loops
        self._still_seconds = 0.0

        thread = threading.Thread(target=self._beat, name="life", daemon=True)
        thread.start()

    def sign(self) -> None:
        """Say that the loop goes on."""
        self._still_seconds = 0.0

    def _beat(self) -> None:
        """Write a line every second.

        Granian forks while this runs, so no lock is taken here.
        """
        descriptor = _open(self._pipe)
        looked_at = time.monotonic()

        while descriptor is not None:
            now = time.monotonic()
            self._still_seconds += min(now - looked_at, _LONGEST_TICK_SECONDS)
            looked_at = now

            hangs = self._loops and self._still_seconds > STILL_SECONDS
            if not hangs and not _write(descriptor, self._line):
                break
            time.sleep(BEAT_SECONDS)

        self.supervisor_gone.set()
        remove(self._pipe)


_own: Life | None = None


def begin(*, loops: bool = False, group: int | None = None) -> Life | None:
    """Begin to give signs, once in a process; return None where nobody listens."""
    global _own
    pipe = os.environ.get(PIPE)
    is_new = _own is None or _own.pid != os.getpid()  # a fork has the parent's, without its thread
    if pipe and is_new:
        _own = Life(pipe, loops=loops, group=group)
    return _own


def sign() -> None:
    """Say that the loop of this process goes on; the first time also that it is ready."""
    life = begin(loops=True)
    if life is not None:
        life.sign()


def remove(pipe: str) -> None:
    """Remove the pipe of a supervisor that was killed, and its directory."""
    directory = Path(pipe).parent
    with suppress(OSError):  # another process was faster
        for path in directory.iterdir():
            path.unlink()
        directory.rmdir()


def _open(pipe: str) -> int | None:
    """Return the pipe's end for writing, None if nobody reads it."""
    try:
        return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


def _write(descriptor: int, line: bytes) -> bool:
    """Write a line; return whether somebody could read it. A full pipe loses it."""
    try:
        os.write(descriptor, line)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return True
