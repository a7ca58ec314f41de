"""Hear of a stop at once, beside the handlers of signals that a server has for itself.

Granian sets its own handlers in a worker process, and then waits for every answer to end before any code of ours runs
again. Python also writes the number of each signal into a file descriptor, whoever handles it (`signal.set_wakeup_fd`):
a thread reads there.
"""

import os
import signal
import threading
from collections.abc import Callable

_STOPS = (signal.SIGTERM, signal.SIGINT)


def when_stopped(action: Callable[[], None]) -> None:
    """Have an action done once, in a thread of its own, as soon as SIGTERM or SIGINT reaches this process.

    To be called in the main thread, once in a process.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_wait, args=(reading, action), name="stopping", daemon=True).start()


def _wait(reading: int, action: Callable[[], None]) -> None:
    heard = 0
    while heard not in _STOPS:
        heard = os.read(reading, 1)[0]
    action()
