"""Rounds: threads that repeat one step with a pause, and outages of Redis between them."""

import logging
import threading
from collections.abc import Callable
from typing import Protocol

STOP_SECONDS = 3.0  # for a round at hand when its process stops
CATCH_UP_SECONDS = 0.05  # between rounds while an older journal is sealed, for all that must go on

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 2.0


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


class RoundThread(Protocol):
    """A thread of rounds."""

    def start(self) -> None:
        """Begin to work."""
        ...

    def stop(self) -> None:
        """End, and wait for a few seconds at most."""
        ...


class Rounds:
    """Rounds in a thread of their own, so that a slow one holds up nothing else.

    one_round: makes one, and returns the pause before the next one in seconds. It never raises.
    stop_seconds: time for the round at hand when the rounds stop.
    """

    def __init__(
        self, name: str, one_round: Callable[[], float], stop_seconds: float = STOP_SECONDS
    ) -> None:
        self._one_round = one_round
        self._stop_seconds = stop_seconds
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """End after the round at hand, or after `stop_seconds`. The next start finds the rest."""
        self._is_over.set()
        self._thread.join(self._stop_seconds)

    def _work(self) -> None:
        pause = 0.0
        while not self._is_over.wait(pause):
            pause = self._one_round()
