"""The service's own secret, and how files are written that only the service may read."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from service.config import Config


def keep_private() -> None:
    """Let whatever this process and its children write from now on be for their user alone."""
    os.umask(0o077)


def private(path: str, flags: int) -> int:
    """Open a file for `open`; one that is made gets the mode 0600."""
    return os.open(path, flags, 0o600)


def secret_of(config: Config) -> bytes:
    """Return the secret: GIORNALE_SECRET, or else the file `<data>/secret`, which all on one data directory share."""
    if config.secret:
        return config.secret.encode()
    path = config.data / "secret"
    if not path.exists():
        lay(path, secrets.token_hex(32).encode())
    return path.read_bytes()


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Let one process at a time read a file and replace it."""
    lock_path = path.with_name(f"{path.name}.lock")
    with open(lock_path, "a", opener=private) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def lay(path: Path, content: bytes, *, replace: bool = False) -> None:
    """Write a file of mode 0600, whole or not at all; whoever comes second keeps the first's unless told to replace."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            draft.replace(path)
        else:
            with suppress(FileExistsError):
                os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def private_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file of mode 0600 that takes its place, durably, when all was written; else nothing is left of it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        _sync_directory(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _sync_directory(directory: Path) -> None:
    """Make a rename in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
