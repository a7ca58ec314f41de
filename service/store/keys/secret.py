"""The service's secret.

The service derives from the secret, for example, tokens, ids of matches that are opened with an
idempotency key, fingerprints of requests with names, and the keys of the queues' seal.
"""

import secrets

from service.base.config import Config
from service.base.private_files import write_private

_SECRET_BYTES = 32


def secret_of(config: Config) -> bytes:
    """Return GIORNALE_SECRET, or else the content of `<data>/secret`.

    All processes on one data directory share the file. The first process makes it.
    """
    if config.secret:
        return config.secret.encode()

    path = config.data / "secret"
    if not path.exists():
        new_secret = secrets.token_hex(_SECRET_BYTES)
        write_private(path, new_secret.encode())

    # Another process may have been first, so the file decides.
    return path.read_bytes()
