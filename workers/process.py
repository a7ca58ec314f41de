"""What processes behind the web have: parts, the order to stop, outages of Redis, threads."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from functools import cache
from types import FrameType

from service.bootstrap import open_context
from service.config import Config
from service.jobs.queues import Queues
from service.matches.context import Context

_LOOK_SECONDS = 0.05  # from one look at the order to stop to the next, during a pause
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 2.0


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


class Outage:
    """A time in which Redis is away or refuses writes; logged when it begins and when it ends.

    logger: what logs it.   who: the process, such as "the scheduler".
    """

    def __init__(self, logger: logging.Logger, who: str) -> None:
        self._logger = logger
        self._who = who
        self._tries = 0

    def begin(self, error: Exception) -> None:
        """Note a try that has failed; log the first one."""
        if not self._tries:
            details = {"error": type(error).__name__}
            self._logger.warning("%s waits for Redis", self._who, extra=details)
        self._tries += 1

    def end(self) -> None:
        """Note a try that has succeeded; log the first one after those that failed."""
        if self._tries:
            self._logger.info("%s has Redis again", self._who)
        self._tries = 0

    @property
    def pause(self) -> float:
        """Seconds to wait until the next try; they grow from one try to the next."""
        doublings = min(self._tries, 10) - 1  # a float has an end
        return min(_FIRST_PAUSE_SECONDS * 2.0**doublings, _LONGEST_PAUSE_SECONDS)


class Rounds:
    """Rounds that are made in a thread, so that nothing slow in them holds up anything else.

    one_round: makes one, and returns how long to wait before the next one. It never raises.
    """

    def __init__(self, name: str, one_round: Callable[[], float]) -> None:
        self._one_round = one_round
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """End after the round at hand, or after some seconds; what is left is found again."""
        self._is_over.set()
        self._thread.join(seconds)

    def _work(self) -> None:
        pause = 0.0
        while not self._is_over.wait(pause):
            pause = self._one_round()
