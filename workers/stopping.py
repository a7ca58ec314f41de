"""The order to stop: remembered when it comes, and looked at where it can be obeyed.

Nothing is raised when the signal comes. An exception would come between any two instructions, where
whatever runs just then may swallow it, such as a `__del__`, or where a job that was just popped is
known to nobody yet.
"""

import signal
import time
from types import FrameType

_LOOK_SECONDS = 0.05


class StopOrder:
    """Whether this process was told to stop, by SIGTERM or SIGINT."""

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
