"""The configuration, context and queues of a background process, and its order to stop."""

import os
import signal
import time
from functools import cache
from types import FrameType

from service.base.config import Config
from service.bootstrap import open_context
from service.matches.context import Context
from service.store.jobs.queues import Queues

_LOOK_SECONDS = 0.05  # between looks at the order to stop, during a pause


@cache
def config() -> Config:
    """Return the configuration from the environment."""
    return Config.load(os.environ, connected=True)


def ctx() -> Context:
    """Return this process's context. The first call opens it."""
    shared_ctx, _queues = _context_and_queues()
    return shared_ctx


def queues() -> Queues:
    """Return this process's queues. The first call opens them."""
    _ctx, shared_queues = _context_and_queues()
    return shared_queues


@cache
def _context_and_queues() -> tuple[Context, Queues]:
    return open_context(config())


class StopOrder:
    """The order to this process to stop, by SIGTERM or SIGINT.

    The order is only noted, and obeyed at safe points. An exception from a signal handler could
    come between any two instructions: in code that swallows exceptions, such as a `__del__`, or
    just after a job was popped.
    """

    def __init__(self) -> None:
        self.given = False

    def listen(self) -> None:
        """Note the signals from now on. Call this in the main thread."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._remember)

    def wait(self, seconds: float) -> bool:
        """Wait until the order is given, or for some seconds. Return True if the order is given.

        A threading.Event would not do: a signal may interrupt the thread that holds the Event's
        lock.
        """
        deadline = time.monotonic() + seconds
        while not self.given:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                break
            time.sleep(min(remaining, _LOOK_SECONDS))
        return self.given

    def _remember(self, _number: int, _frame: FrameType | None) -> None:
        self.given = True
