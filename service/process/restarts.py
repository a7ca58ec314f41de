"""When a part of `giornale serve` that has ended is started again."""

import time

# A process that served for longer than this has not crashed in a row with the last one.
_STEADY_SECONDS = 1.0

_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 3.0


class Restarts:
    """The starts and crashes of one part.

    A part that has served starts again at once, however often it is killed. The pause grows with
    each crash before the part is ready, or just after that; the first such crash has none.
    """

    def __init__(self) -> None:
        self.crashes_in_a_row = 0
        self._ready_at: float | None = None
        self._start_again_at = 0.0

    @property
    def due(self) -> bool:
        """Whether it is time to start."""
        return time.monotonic() >= self._start_again_at

    def note_start(self) -> None:
        """Note that the part was started."""
        self._ready_at = None

    def note_ready(self) -> None:
        """Note that the part serves."""
        self._ready_at = time.monotonic()

    def note_crash(self) -> None:
        """Note that the part has ended, and plan its next start."""
        now = time.monotonic()
        has_served = self._ready_at is not None and now - self._ready_at >= _STEADY_SECONDS
        self.crashes_in_a_row = 1 if has_served else self.crashes_in_a_row + 1
        self._ready_at = None
        self._start_again_at = now + _pause_after(self.crashes_in_a_row)


def _pause_after(crashes: int) -> float:
    """Return how many seconds to wait after so many crashes in a row."""
    if crashes <= 1:
        return 0.0

    doublings = min(crashes - 2, 10)  # a float has an end
    return min(_FIRST_PAUSE_SECONDS * 2.0**doublings, _LONGEST_PAUSE_SECONDS)
