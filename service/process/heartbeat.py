"""Signs of life, which a process gives and `giornale serve` hears.

Each process writes a line into a named pipe every second, from a thread. A process that is stopped
or deadlocked writes none. Neither Redis nor the disk is needed for it.

`sign` says that the process's own loop goes on. A loop that has not said so for STILL_SECONDS
hangs, and its thread is silent then, too.
"""

import errno
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from service.datadir import DataUnusable

# §§§ service.process.heartbeat


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


# §§§ service.process.heartbeat
# A clock that stands still while this process does.


# A longer time between two ticks is not believed: the process or the machine was stopped.
_LONGEST_AWAKE_TICK_SECONDS = 1.0


class AwakeClock:
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
        self.seconds += min(now - self._ticked_at, _LONGEST_AWAKE_TICK_SECONDS)
        self._ticked_at = now


# §§§ service.process.heartbeat
# Hears the signs of life of all processes, and knows who has been silent for how long.


_PIPE_NAME = "signs"
_READ_BYTES = 65536


@dataclass(frozen=True, slots=True)
class Sign:
    """The last sign of a process.

    group: the process that the supervisor has started.   heard_at: on the supervisor's clock.
    """

    group: int
    heard_at: float


class Watchdog:
    """The pipe into which all processes write, and what was read there.

    Raises DataUnusable where no directory for temporary files can be written.
    """

    def __init__(self, clock: AwakeClock) -> None:
        self._clock = clock
        self._signs: dict[int, Sign] = {}

        self.pipe = _own_directory() / _PIPE_NAME
        os.mkfifo(self.pipe, 0o600)
        self._reading_end = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK)
        # Without a writer of our own the pipe would end with its last writer.
        self._writing_end = os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK)

    def close(self) -> None:
        """Hear no more, and remove the pipe."""
        os.close(self._writing_end)
        os.close(self._reading_end)
        shutil.rmtree(self.pipe.parent, ignore_errors=True)

    def listen(self) -> None:
        """Take in what was written since the last time."""
        for line in self._read().splitlines():
            pid, _, group = line.partition(" ")
            self._signs[int(pid)] = Sign(int(group), self._clock.seconds)

    def has_heard(self, pid: int) -> bool:
        """Return whether a process has given a sign."""
        return pid in self._signs

    def members(self, group: int) -> list[int]:
        """Return the other processes of a group that have given a sign."""
        return [pid for pid, sign in self._signs.items() if sign.group == group and pid != group]

    def silence(self, pid: int) -> float:
        """Return for how many seconds a process has given no sign."""
        return self._clock.seconds - self._signs[pid].heard_at

    def silent(self, group: int, seconds: float) -> Iterator[int]:
        """Yield the processes of a group that have been silent for longer than so many seconds.

        Those that have ended are forgotten.
        """
        for pid in [group, *self.members(group)]:
            if not self.has_heard(pid) or self.silence(pid) <= seconds:
                continue

            del self._signs[pid]
            if _is_of_group(pid, group):
                yield pid

    def forget(self, group: int) -> None:
        """Forget a group that has ended."""
        for pid in [group, *self.members(group)]:
            self._signs.pop(pid, None)

    def _read(self) -> str:
        """Return all whole lines that are there; a line is written at once."""
        parts: list[bytes] = []
        with suppress(BlockingIOError):
            while True:
                parts.append(os.read(self._reading_end, _READ_BYTES))
        return b"".join(parts).decode()


def _own_directory() -> Path:
    """Return a new directory for this user alone; raises DataUnusable."""
    try:
        return Path(tempfile.mkdtemp(prefix="giornale-"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataUnusable(f"TMPDIR: no temporary directory can be made: {reason}") from None


def _is_of_group(pid: int, group: int) -> bool:
    """Return whether a process lives and is one of a group: its number may be another's by now."""
    try:
        return os.getpgid(pid) == group
    except ProcessLookupError:
        return False
