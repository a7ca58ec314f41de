"""Act on a stop at once, beside the signal handlers that a server has for itself.

Granian sets its own handlers in a worker process, and then waits for every answer to end before
any code of ours runs again. But Python also writes the number of each signal into a file
descriptor, whoever handles the signal (`signal.set_wakeup_fd`). A thread reads there.
"""

import os
import signal
import threading
from collections.abc import Callable

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def when_stopped(action: Callable[[], None]) -> None:
    """Call an action once, in its own thread, as soon as SIGTERM or SIGINT reaches this process.

    Call this in the main thread, once in a process.
    """
    reading_end, writing_end = os.pipe()
    os.set_blocking(writing_end, False)
    signal.set_wakeup_fd(writing_end, warn_on_full_buffer=False)

    listener = threading.Thread(
        target=_wait_for_stop,
        args=(reading_end, action),
        name="stopping",
        daemon=True,
    )
    listener.start()


def _wait_for_stop(reading_end: int, action: Callable[[], None]) -> None:
    """Read signal numbers, one byte each, until one of them is a stop; then act."""
    signal_number = 0
    while signal_number not in _STOP_SIGNALS:
        signal_number = os.read(reading_end, 1)[0]

    action()
