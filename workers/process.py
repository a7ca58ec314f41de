"""The parts of a process behind the web, and the order to stop."""

import os
import signal
import time
from functools import cache
from types import FrameType

from service.base.config import Config
from service.bootstrap import open_context
from service.matches.context import Context
from service.store.jobs.queues import Queues

_LOOK_SECONDS = 0.05  # from one look at the order to stop to the next, during a pause


@cache
def config() -> Config:
    """Return the configuration that the environment gives."""
    return Config.load(os.environ, connected=True)


def ctx() -> Context:
    """Return this process's context, opened at first use and kept."""
    shared_ctx, _queues = _context_and_queues()
    return shared_ctx


def queues() -> Queues:
    """Return this process's queues, opened at first use and kept."""
    _ctx, shared_queues = _context_and_queues()
    return shared_queues


@cache
def _context_and_queues() -> tuple[Context, Queues]:
    return open_context(config())


class StopOrder:
    """Whether this process was ordered to stop, by SIGTERM or SIGINT.

    The order is remembered, and obeyed where that is safe. An exception instead would come between
    any two instructions: where something swallows it, such as a `__del__`, or where a job that was
    just popped is not noted yet.
    """

    def __init__(self) -> None:
        self.given = False

    def listen(self) -> None:
        """Take the signals from now on; call this in the main thread."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._remember)

    def wait(self, seconds: float) -> bool:
        """Wait until the order is given, or for some seconds; return whether it is given.

        An Event would not do: its lock may be held by the very thread that the signal interrupts.
        """
        deadline = time.monotonic() + seconds
        while not self.given:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(left, _LOOK_SECONDS))
        return self.given

    def _remember(self, _number: int, _frame: FrameType | None) -> None:
        self.given = True
