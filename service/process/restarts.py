"""When a part of `giornale serve` that has ended is started again."""

import time

# A process that ran longer than this has not crashed in a row with the last one.
_STEADY_SECONDS = 10

_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 3.0


class Restarts:
    """The starts and crashes of one part.

    After the first crash it starts at once; the pause grows with each crash that follows soon.
    """

    def __init__(self) -> None:
        self.crashes_in_a_row = 0
        self._started_at = 0.0
        self._start_again_at = 0.0

    @property
    def due(self) -> bool:
        """Whether it is time to start."""
        return time.monotonic() >= self._start_again_at

    def note_start(self) -> None:
        """Note that the part was started."""
        self._started_at = time.monotonic()

    def note_crash(self) -> None:
        """Note that the part has ended, and plan its next start."""
        now = time.monotonic()
        was_steady = now - self._started_at > _STEADY_SECONDS
        self.crashes_in_a_row = 1 if was_steady else self.crashes_in_a_row + 1
        self._start_again_at = now + _pause_after(self.crashes_in_a_row)


def _pause_after(crashes: int) -> float:
    """Return how many seconds to wait after so many crashes in a row."""
    if crashes == 1:
        return 0.0

    doublings = min(crashes, 10)  # a float has an end
    return min(_FIRST_PAUSE_SECONDS * 2.0**doublings, _LONGEST_PAUSE_SECONDS)
