"""No orphans: what `giornale serve` has started ends soon after it, however it ended."""

import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import suppress

from service.process import heartbeat as signs
from service.process.heartbeat import Life

# Variables by which the supervisor names itself and, outside Linux, the bundled server.
PARENT = "_GIORNALE_PARENT"
SERVER = "_GIORNALE_SERVER"

_POLL_SECONDS = 0.5
_GRACE_SECONDS = 10

# So long a web process whose parent has ended goes on serving, if nobody ends it before. The next
# one needs two or three seconds to start, on a machine at work ten and more.
_OUTLIVE_SECONDS = 90


def is_supervised(environ: Mapping[str, str]) -> bool:
    """Return whether `giornale serve` has started this process, and has checked everything."""
    return PARENT in environ


def watch_parent(
    environ: Mapping[str, str],
    parent: int | None = None,
    life: Life | None = None,
) -> None:
    """Watch the parent process from a thread, and end this process when the parent has gone.

    parent: the parent's id; without it, the one that the environment names, if any.
    life: of a process that goes on for a while without its parent, until the supervisor ends it.
    """
    if parent is None and PARENT in environ:
        parent = int(environ[PARENT])
    if parent is None:
        return

    server = environ.get(SERVER)
    watcher = threading.Thread(
        target=_end_with_parent,
        args=(parent, server, life),
        name="parent-watch",
        daemon=True,
    )
    watcher.start()


def _end_with_parent(parent: int, server: str | None, life: Life | None) -> None:
    """Wait until the parent has gone, then end the bundled server and this process."""
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    if life is not None:
        life.supervisor_gone.wait(_OUTLIVE_SECONDS)
    elif signs.PIPE in os.environ:
        signs.remove(os.environ[signs.PIPE])

    if server:
        with suppress(ProcessLookupError):
            os.kill(int(server), signal.SIGTERM)

    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_SECONDS)
    os._exit(1)
