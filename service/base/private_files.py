"""Files that only the user of the service can read, written whole or not at all."""

import errno
import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700

# The name of a draft: the file's name, the writing process, and a drawn number.
_DRAFT = re.compile(r"\.(?P<name>.+)\.[0-9]+\.[0-9a-f]{8}")


def keep_private() -> None:
    """Make new files of this process and its children readable by their user alone."""
    os.umask(0o077)


def open_private(path: str, flags: int) -> int:
    """Open a file. A new one gets the mode 0600. An `opener` for `open`."""
    return os.open(path, flags, FILE_MODE)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time read and replace a file. The lock is a file beside it."""
    lock_path = path.with_name(f"{path.name}.lock")

    with open(lock_path, "a", opener=open_private) as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        yield


def write_private(path: Path, content: bytes, *, replace: bool = False) -> None:
    """Write a file of mode 0600, whole or not at all.

    An existing file stays as it is, unless `replace` is set.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=DIRECTORY_MODE)

    with suppress(FileExistsError), private_file(path, replace=replace) as file:
        file.write(content)


@contextmanager
def private_file(path: Path, *, replace: bool = True) -> Iterator[IO[bytes]]:
    """Yield a new file of mode 0600. When the block ends, the file durably gets the name `path`.

    The block may read the file, too. If the block raises, the new file is removed, and `path` stays
    as it was.

    replace: True to replace an existing file. False: an existing file raises FileExistsError.
    """
    draft, file = _new_draft(path)

    try:
        with file:
            yield file
            _sync(file)
            _give_name(draft, path, replace=replace)

        _sync_directory(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def remove_drafts(path: Path) -> list[Path]:
    """Remove drafts that killed processes have left behind, and return the removed drafts.

    The drafts are of `path`, or of other files in its directory with the same suffix. Drafts in use
    and unreadable ones stay.
    """
    try:
        beside = sorted(path.parent.iterdir())
    except OSError:
        return []

    drafts = [file for file in beside if _is_draft_of(file.name, path)]
    return [draft for draft in drafts if _remove_if_abandoned(draft)]


def _new_draft(path: Path) -> tuple[Path, IO[bytes]]:
    """Create a file beside `path`. The file stays locked while open, to show that it is in use."""
    while True:
        draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE)
        file = os.fdopen(descriptor, "w+b")

        with suppress(OSError):  # some file systems know no locks
            fcntl.flock(file, fcntl.LOCK_EX)

        # Another process may have removed the draft as abandoned before it was locked.
        if os.fstat(descriptor).st_nlink:
            return draft, file
        file.close()


def _give_name(draft: Path, path: Path, *, replace: bool) -> None:
    """Give a draft its name. Without `replace`, raises FileExistsError if the name is taken."""
    if replace:
        draft.replace(path)
        return

    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # some file systems, such as exFAT, know no links
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        draft.replace(path)


def _is_draft_of(name: str, path: Path) -> bool:
    """Return True for the name of a draft of a file, or of another file with its suffix."""
    draft_match = _DRAFT.fullmatch(name)
    if draft_match is None:
        return False

    is_alike = path.suffix != "" and draft_match["name"].endswith(path.suffix)
    return is_alike or draft_match["name"] == path.name


def _remove_if_abandoned(draft: Path) -> bool:
    """Remove a draft unless a process has it locked. Return True if it was removed."""
    with suppress(OSError):
        descriptor = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            draft.unlink()
            return True
    return False


def _sync(file: IO[bytes]) -> None:
    """Make the writes to a file durable."""
    file.flush()
    os.fsync(file.fileno())


def _sync_directory(directory: Path) -> None:
    """Make a rename in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
