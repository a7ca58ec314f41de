"""The data directory: whether it can be made and written, said in one sentence where it cannot."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT)


class DataUnusable(Exception):
    """The data directory cannot be used; the message names the setting, the path and the reason."""


def check(directory: Path) -> None:
    """Raise DataUnusable if the directory cannot be used, as far as can be told without touching it."""
    with explained(directory):
        place = _nearest(directory)
        if not place.is_dir():
            raise _unusable(directory, place, errno.ENOTDIR)
        if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
            raise _unusable(directory, place, errno.EROFS if _is_read_only(place) else errno.EACCES)


def prepare(directory: Path) -> None:
    """Make the directory if it is not there, for its user alone, and prove that files can be made in it.

    Raises DataUnusable.
    """
    with explained(directory):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass


@contextmanager
def explained(directory: Path) -> Iterator[None]:
    """Raise DataUnusable for what the system refuses below the directory, and for a full disk."""
    try:
        yield
    except OSError as error:
        refused = _refused(directory, error)
        if refused is None:
            raise
        raise _unusable(directory, refused, error.errno or 0) from None


def _refused(directory: Path, error: OSError) -> Path | None:
    """Return what could not be used: the directory, something in it or on the way to it; None for anything else."""
    if not isinstance(error.filename, (str, os.PathLike)):
        return directory if error.errno in _FULL else None
    path = Path(error.filename)
    related = path.is_relative_to(directory) or directory.is_relative_to(path)
    return path if related else None


def _nearest(directory: Path) -> Path:
    """Return the directory, or the nearest one above it that is there and must take it."""
    place = directory
    while not place.exists() and not place.is_symlink() and place != place.parent:
        place = place.parent
    return place


def _is_read_only(place: Path) -> bool:
    return bool(os.statvfs(place).f_flag & os.ST_RDONLY)


def _unusable(directory: Path, refused: Path, number: int) -> DataUnusable:
    """Return the error: the setting, the directory, the reason, and what was refused where that is not the same."""
    where = "" if refused == directory else f" ({refused})"
    reason = os.strerror(number).lower()
    return DataUnusable(f"GIORNALE_DATA: the directory {directory} cannot be used: {reason}{where}")
