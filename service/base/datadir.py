"""The data directory: check it, make it, or explain in one sentence why it is unusable."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_DIRECTORY_MODE = 0o700
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


class DataUnusable(Exception):
    """The data directory cannot be used. The message names the setting, the path and the reason."""


def check(directory: Path) -> None:
    """Raise DataUnusable if the directory, or its nearest existing parent, forbids its use.

    Nothing is written.
    """
    with explained(directory):
        place = _nearest_existing(directory)
        if not place.is_dir():
            raise _unusable(directory, place, errno.ENOTDIR)

        if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
            reason = errno.EROFS if _is_read_only(place) else errno.EACCES
            raise _unusable(directory, place, reason)


def prepare(directory: Path) -> None:
    """Make a missing directory, for the present user alone, and try to make a file in it.

    Raises DataUnusable.
    """
    with explained(directory):
        directory.mkdir(mode=_DIRECTORY_MODE, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass


@contextmanager
def explained(directory: Path) -> Iterator[None]:
    """Raise DataUnusable for system errors in or above the directory.

    An error of a full disk counts, too, if it names no file.
    """
    try:
        yield
    except OSError as error:
        place = _refused_place(directory, error)
        if place is None:
            raise
        raise _unusable(directory, place, error.errno or 0) from None


def _refused_place(directory: Path, error: OSError) -> Path | None:
    """Return the refused path. None if the error has nothing to do with the directory.

    The path is the directory, something in it, or something on the way to it.
    """
    if not isinstance(error.filename, (str, os.PathLike)):
        return directory if error.errno in _DISK_FULL else None

    path = Path(error.filename)
    is_related = path.is_relative_to(directory) or directory.is_relative_to(path)
    return path if is_related else None


def _nearest_existing(directory: Path) -> Path:
    """Return the directory if it exists, or else the nearest existing path above it."""
    place = directory
    while not place.exists() and not place.is_symlink() and place != place.parent:
        place = place.parent
    return place


def _is_read_only(place: Path) -> bool:
    return bool(os.statvfs(place).f_flag & os.ST_RDONLY)


def _unusable(directory: Path, place: Path, error_number: int) -> DataUnusable:
    """Return the error with the setting, the directory and the reason.

    place: the refused path, named in the message if it is not the directory itself.
    """
    where = "" if place == directory else f" ({place})"
    reason = os.strerror(error_number).lower()
    return DataUnusable(f"GIORNALE_DATA: the directory {directory} cannot be used: {reason}{where}")
