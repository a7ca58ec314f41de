"""The service's own secret."""

import secrets

from service.config import Config
from service.keys.private_files import write_private

_SECRET_BYTES = 32


def secret_of(config: Config) -> bytes:
    """Return GIORNALE_SECRET, or else what `<data>/secret` holds.

    All processes on one data directory share the file; the first one makes it.
    """
    if config.secret:
        return config.secret.encode()

    path = config.data / "secret"
    if not path.exists():
        new_secret = secrets.token_hex(_SECRET_BYTES)
        write_private(path, new_secret.encode())

    # Another process may have been first, so what counts is what the file holds.
    return path.read_bytes()
