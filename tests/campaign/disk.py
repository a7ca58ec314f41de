"""A small disk of its own for the data of the service, which the nemesis fills.

It is a file with a file system, mounted by a loop device; that needs root. What fills it is
reserved at once, and set free by deleting one file.
"""

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Self

IMAGE_FILE = "disk.img"
FILLER_FILE = "filler"
MEBIBYTE = 1024 * 1024
_SMALLEST_PIECE = 4096


class NoDisk(Exception):
    """There can be no small disk here; the message says why."""


class Disk:
    """A mounted disk of so many MiB at a directory; raises NoDisk."""

    def __init__(self, directory: Path, mount_point: Path, mebibytes: int) -> None:
        if os.geteuid() != 0:
            raise NoDisk("only root may mount a disk")

        self.mount_point = mount_point
        self._filler = mount_point / FILLER_FILE

        image = directory / IMAGE_FILE
        with image.open("wb") as file:
            file.truncate(mebibytes * MEBIBYTE)

        mount_point.mkdir(parents=True, exist_ok=True)
        _run("mkfs.ext4", "-q", "-m", "0", str(image))
        _run("mount", "-o", "loop", str(image), str(mount_point))

    def fill(self) -> None:
        """Leave not a byte free."""
        position = 0
        piece = shutil.disk_usage(self.mount_point).free
        while piece >= _SMALLEST_PIECE:
            place = ("--offset", str(position), "--length", str(piece))
            try:
                _run("fallocate", *place, str(self._filler))
                position += piece
            except NoDisk:
                piece //= 2

    def drain(self) -> None:
        """Set free what `fill` has taken."""
        self._filler.unlink(missing_ok=True)

    def close(self) -> None:
        """Unmount the disk."""
        with suppress(NoDisk):
            _run("umount", "--lazy", str(self.mount_point))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _run(*command: str) -> None:
    """Run a command of the system; raises NoDisk with what it said."""
    program = shutil.which(command[0])
    if program is None:
        raise NoDisk(f"there is no {command[0]}")

    done = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoDisk(f"{command[0]}: {done.stderr.strip()}")
