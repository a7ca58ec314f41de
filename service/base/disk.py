"""The disk of a data directory: its free space, and a note of a torn end of a file.

The operator reads the note under the warnings of /readyz, and removes it.
"""

import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from service.base.private_files import open_private

NOTE = "server.torn"

_MEBIBYTE = 2**20
_GIBIBYTE = 2**30


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """The free and the whole space of a directory's disk, in bytes."""

    directory: Path
    free: int
    size: int

    @classmethod
    def of(cls, directory: Path) -> Self:
        """Return the space of a directory's disk. Raises OSError."""
        usage = shutil.disk_usage(directory)
        return cls(directory, usage.free, usage.total)

    @property
    def is_low(self) -> bool:
        """True if less than 1 GiB and less than a twentieth of the disk is free."""
        return self.free < min(_GIBIBYTE, self.size // 20)

    @property
    def least(self) -> int:
        """The free space to leave: 32 MiB, or a hundredth of a small disk.

        The bundled server ends when a write fails, so it takes no moves with less free space. This
        space is for writes already begun, and for all other writes on that disk.
        """
        return min(32 * _MEBIBYTE, self.size // 100)

    def __str__(self) -> str:
        """Return the free space in words."""
        share = 100 * self.free / max(self.size, 1)
        return f"{_in_units(self.free)} ({share:.1f} %) are free in {self.directory}"


def _in_units(count: int) -> str:
    """Return a number of bytes in MiB, or in GiB from 1 GiB on."""
    if count >= _GIBIBYTE:
        return f"{count / _GIBIBYTE:.1f} GiB"
    return f"{count / _MEBIBYTE:.0f} MiB"


# ---- a note beside the bundled server's files ------------------------------------------------


def write_note(directory: Path, sentence: str) -> None:
    """Add a sentence to the note, for example on a torn end of a file that was cut off.

    Errors of the system, such as a full disk, are passed over.
    """
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    with suppress(OSError), open(directory / NOTE, "a", opener=open_private) as note:
        note.write(f"{now}: {sentence}\n")


def read_note(directory: Path) -> str:
    """Return the last sentence of the note, and the way to remove it. "" without a note."""
    path = directory / NOTE
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return ""
    return f"{lines[-1]}. Remove {path} once this is settled" if lines else ""
