"""Rounds: threads that repeat one step with pauses, and logs of outages of Redis."""

import logging
import threading
from collections.abc import Callable
from typing import Protocol

STOP_SECONDS = 3.0  # time to finish the current round when the process stops
CATCH_UP_SECONDS = 0.05  # pause between rounds during a backlog, so that other work goes on

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 2.0


class Outage:
    """A time in which Redis is unavailable or refuses writes. Its beginning and end are logged.

    logger: takes the messages.   who: subject of the messages, such as "the scheduler".
    """

    def __init__(self, logger: logging.Logger, who: str) -> None:
        self._logger = logger
        self._who = who
        self._tries = 0

    def begin(self, error: Exception) -> None:
        """Count a failed try. Log the first failure."""
        if not self._tries:
            details = {"who": self._who, "error": type(error).__name__}
            self._logger.warning("paused: waiting for Redis", extra=details)
        self._tries += 1

    def end(self) -> None:
        """Note a success. Log the first success after a failure."""
        if self._tries:
            self._logger.info("Redis available again", extra={"who": self._who})
        self._tries = 0

    @property
    def pause(self) -> float:
        """Seconds to wait before the next try. Each failure doubles the wait, up to a limit."""
        doublings = min(self._tries, 10) - 1  # else the power overflows
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
    """Rounds in a thread of their own, so that a slow round delays nothing else.

    one_round: makes a round, and returns the pause before the next round in seconds. Never raises.
    stop_seconds: time to finish the current round when the rounds stop.
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
        """Stop, and wait for the end of the current round, at most for `stop_seconds`."""
        self._is_over.set()
        self._thread.join(self._stop_seconds)

    def _work(self) -> None:
        pause = 0.0
        while not self._is_over.wait(pause):
            pause = self._one_round()
