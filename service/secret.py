"""The service's own secret: from GIORNALE_SECRET, or a file made at the first start."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from service.config import Config


def secret_of(config: Config) -> bytes:
    """Return the secret; where none is set, all processes on one data directory share the file `<data>/secret`."""
    if config.secret:
        return config.secret.encode()
    path = config.data / "secret"
    if not path.exists():
        _make(path)
    return path.read_bytes()


def _make(path: Path) -> None:
    """Write 32 random bytes; the link appears whole or not at all, and whoever comes second keeps the first's."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"secret.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(32).encode())
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
