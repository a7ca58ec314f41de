"""Hears the signs of life of all processes, and knows who has been silent for how long."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from service.datadir import DataUnusable
from service.process.awake import AwakeClock

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
