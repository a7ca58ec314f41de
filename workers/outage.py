"""A time in which Redis is away or refuses writes: told once when it begins and once at its end."""

import logging

_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 2.0


class Outage:
    """What one process knows of it.

    logger: what tells of it.   who: the process, such as "the keeper".
    """

    def __init__(self, logger: logging.Logger, who: str) -> None:
        self._logger = logger
        self._who = who
        self._tries = 0

    def begin(self, error: Exception) -> None:
        """Note a try that has failed; tell of the first one."""
        if not self._tries:
            details = {"error": type(error).__name__}
            self._logger.warning("%s waits for Redis", self._who, extra=details)
        self._tries += 1

    def end(self) -> None:
        """Note a try that has succeeded; tell of the first one after those that failed."""
        if self._tries:
            self._logger.info("%s has Redis again", self._who)
        self._tries = 0

    @property
    def pause(self) -> float:
        """Seconds to wait until the next try; they grow from one try to the next."""
        doublings = min(self._tries, 10) - 1  # a float has an end
        return min(_FIRST_PAUSE_SECONDS * 2.0**doublings, _LONGEST_PAUSE_SECONDS)
