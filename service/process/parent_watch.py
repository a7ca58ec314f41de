"""No orphans: what `giornale serve` has started ends soon after it, however it ended."""

import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import suppress

# Variables by which the supervisor names itself and, outside Linux, the bundled server.
PARENT = "_GIORNALE_PARENT"
SERVER = "_GIORNALE_SERVER"

_POLL_SECONDS = 0.5
_GRACE_SECONDS = 10


def is_supervised(environ: Mapping[str, str]) -> bool:
    """Return whether `giornale serve` has started this process, and has checked everything."""
    return PARENT in environ


def watch_parent(environ: Mapping[str, str], parent: int | None = None) -> None:
    """Watch the parent process from a thread, and end this process when the parent has gone.

    parent: the parent's id; without it, the one that the environment names, if any.
    """
    if parent is None and PARENT in environ:
        parent = int(environ[PARENT])
    if parent is None:
        return

    server = environ.get(SERVER)
    watcher = threading.Thread(
        target=_end_with_parent,
        args=(parent, server),
        name="parent-watch",
        daemon=True,
    )
    watcher.start()


def _end_with_parent(parent: int, server: str | None) -> None:
    """Wait until the parent has gone, then end the bundled server and this process."""
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)

    if server:
        with suppress(ProcessLookupError):
            os.kill(int(server), signal.SIGTERM)

    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_SECONDS)
    os._exit(1)
