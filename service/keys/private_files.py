"""Files that only the service's own user may read."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700


def keep_private() -> None:
    """Let what this process and its children create be readable by their user alone."""
    os.umask(0o077)


def open_private(path: str, flags: int) -> int:
    """Open a file; a new one gets the mode 0600. An `opener` for `open`."""
    return os.open(path, flags, FILE_MODE)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time read a file and replace it."""
    lock_path = path.with_name(f"{path.name}.lock")

    with open(lock_path, "a", opener=open_private) as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        yield


def write_private(path: Path, content: bytes, *, replace: bool = False) -> None:
    """Write a file of mode 0600, whole or not at all.

    A file that is already there stays as it is, unless `replace` is set.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=DIRECTORY_MODE)
    draft = path.with_name(_draft_name(path))

    try:
        with _new_file(draft) as file:
            file.write(content)
            _sync(file)

        if replace:
            draft.replace(path)
        else:
            with suppress(FileExistsError):
                os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def private_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a new file of mode 0600 which replaces `path`, durably, when the block ends.

    If the block raises, the new file is removed and `path` stays as it was.
    """
    draft = path.with_name(f".{_draft_name(path)}")

    try:
        with _new_file(draft) as file:
            yield file
            _sync(file)

        draft.replace(path)
        _sync_directory(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _draft_name(path: Path) -> str:
    """Return a name that no other process or thread uses for its draft."""
    return f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}"


def _new_file(path: Path) -> IO[bytes]:
    """Create a file of mode 0600 and open it for writing."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    return os.fdopen(descriptor, "wb")


def _sync(file: IO[bytes]) -> None:
    """Make what was written to a file durable."""
    file.flush()
    os.fsync(file.fileno())


def _sync_directory(directory: Path) -> None:
    """Make a rename in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
