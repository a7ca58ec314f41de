"""No orphans: a process that `giornale serve` has started ends soon after its parent, however that one ended."""

import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import suppress

PARENT = "_GIORNALE_PARENT"
SERVER = "_GIORNALE_SERVER"
_POLL_SECONDS = 0.5
_GRACE_SECONDS = 10


def hold(environ: Mapping[str, str], parent: int | None = None) -> None:
    """Watch the parent from a thread, if the environment names one; `parent`: watch this process instead."""
    if parent is None and PARENT in environ:
        parent = int(environ[PARENT])
    if parent is not None:
        threading.Thread(
            target=_watch, args=(parent, environ.get(SERVER)), name="lifeline", daemon=True
        ).start()


def _watch(parent: int, server: str | None) -> None:
    """Wait until the parent has gone, then end the bundled server and this process: gently, then at once."""
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    if server:
        with suppress(ProcessLookupError):
            os.kill(int(server), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_SECONDS)
    os._exit(1)
