"""Signals to processes of the service, which may be gone at any time."""

import os
import signal
from contextlib import suppress


def send(pid: int, number: signal.Signals) -> bool:
    """Send a signal; return whether the process was there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


class Stopped:
    """A process that stands still until it is told to go on."""

    def __init__(self, pid: int) -> None:
        """Stop it; raises ProcessLookupError where it has gone."""
        self._pid = pid
        os.kill(pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on, if it is still there; to one that runs, this does nothing."""
        with suppress(ProcessLookupError, PermissionError):
            os.kill(self._pid, signal.SIGCONT)
