"""Heartbeat: what a process tells `giornale serve` while it lives, and when it ends without it.

Each process writes a line into a named pipe every second, from a thread. A process that is stopped
or deadlocked writes none. Neither Redis nor the disk is needed for it.

`beat` says that the process's loop goes on. A loop that has not said so for STILL_SECONDS hangs,
and its thread is silent then, too.
"""

import errno
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
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

# So long a web process whose parent has ended goes on serving, if nobody ends it before. The next
# one needs two or three seconds to start, on a machine at work ten and more.
_OUTLIVE_SECONDS = 90

_PIPE_NAME = "beats"

# The socket of the forkserver lies beside the pipe: such a path has a bound (103 bytes on macOS).
_LONGEST_DIRECTORY = 85
_SHORT_DIRECTORY = "/tmp"  # noqa: S108 - a directory is made there, never a file
_PREFIX = "giornale-"
_READ_BYTES = 65536


# ---- in the process that lives ---------------------------------------------------------------


class Heartbeat:
    """The beats of this process, which begin at once.

    loops: whether its loop calls `beat`, so that its silence counts.
    group: the process that the supervisor has started, if that is another one.
    """

    def __init__(self, pipe: str, *, loops: bool, group: int | None = None) -> None:
        self.pid = os.getpid()
        self.supervisor_gone = threading.Event()

        self._line = f"{self.pid} {group or self.pid}\n".encode()
        self._pipe = pipe
        self._loops = loops
        self._still_seconds = 0.0

        threading.Thread(target=self._run, name="heartbeat", daemon=True).start()

    def beat(self) -> None:
        """Say that the loop goes on."""
        self._still_seconds = 0.0

    def _run(self) -> None:
        """Write a line every second.

        Granian forks while this runs, so no lock is taken here.
        """
        descriptor = _open(self._pipe)
        looked_at = time.monotonic()

        while descriptor is not None:
            now = time.monotonic()
            self._still_seconds += min(now - looked_at, _LONGEST_STILL_SECONDS)
            looked_at = now

            hangs = self._loops and self._still_seconds > STILL_SECONDS
            if not hangs and not _write(descriptor, self._line):
                break
            time.sleep(BEAT_SECONDS)

        self.supervisor_gone.set()
        _remove(self._pipe)


_own: Heartbeat | None = None


def begin(*, loops: bool = False, group: int | None = None) -> Heartbeat | None:
    """Begin to beat, once in a process; return None where nobody listens."""
    global _own
    pipe = os.environ.get(PIPE)
    is_new = _own is None or _own.pid != os.getpid()  # a fork has the parent's, without its thread
    if pipe and is_new:
        _own = Heartbeat(pipe, loops=loops, group=group)
    return _own


def beat() -> None:
    """Say that the loop of this process goes on; the first time also that it is ready."""
    own = begin(loops=True)
    if own is not None:
        own.beat()


def end_with_parent(
    environ: Mapping[str, str],
    parent: int | None = None,
    own: Heartbeat | None = None,
) -> None:
    """End this process, and outside Linux the bundled server, when its parent has gone.

    parent: the id of a parent that is not the supervisor.
    own: the heartbeat of a process that goes on for a while without its parent, until the
        supervisor ends it.
    """
    if multiprocessing.parent_process() is None:  # it was started by hand, or by another program
        return

    arguments = (parent, environ.get(SERVER), own)
    threading.Thread(target=_wait_and_end, args=arguments, name="parent-watch", daemon=True).start()


def _wait_and_end(parent: int | None, server: str | None, own: Heartbeat | None) -> None:
    """Wait until the parent has gone, then end the server and this process."""
    supervisor = multiprocessing.parent_process()
    if parent is None and supervisor is not None:
        supervisor.join()
    while parent is not None and os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    if own is not None:
        own.supervisor_gone.wait(_OUTLIVE_SECONDS)
    elif PIPE in os.environ and _open(os.environ[PIPE]) is None:  # nobody reads there
        _remove(os.environ[PIPE])

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
        self._reading_end = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK)
        # Without a writer here the pipe would end with its last writer.
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
                pieces.append(os.read(self._reading_end, _READ_BYTES))
        return b"".join(pieces).decode()


def _own_directory() -> Path:
    """Return a new directory for this user alone; raises DataUnusable."""
    try:
        directory = Path(tempfile.mkdtemp(prefix=_PREFIX))
        if len(os.fsencode(directory)) > _LONGEST_DIRECTORY:
            directory.rmdir()
            directory = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_SHORT_DIRECTORY))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataUnusable(f"TMPDIR: no temporary directory can be made: {reason}") from None
    return directory


def _is_of_group(pid: int, group: int) -> bool:
    """Return whether a process lives and is one of a group: its number may be another's by now."""
    try:
        return os.getpgid(pid) == group
    except ProcessLookupError:
        return False
