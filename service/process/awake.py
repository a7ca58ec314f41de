"""A clock that stands still while this process does."""

import time

# A longer time between two ticks is not believed: the process or the machine was stopped.
_LONGEST_TICK_SECONDS = 1.0


class AwakeClock:
    """Seconds in which this process ran and looked around.

    When a machine sleeps, or `giornale serve` is stopped, everything else was silent, too, and
    nobody is to blame. So each tick counts for a second at most.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._ticked_at = time.monotonic()

    def tick(self) -> None:
        """Note that this process runs; call this several times a second."""
        now = time.monotonic()
        self.seconds += min(now - self._ticked_at, _LONGEST_TICK_SECONDS)
        self._ticked_at = now
