"""Functions for children of a supervisor, each run in a fork of the test."""

import signal
import sys
import time
from pathlib import Path
from types import FrameType

from service.ops.process import heartbeat


def sleep() -> None:
    """Do nothing, not even beat."""
    time.sleep(1000)


def beat() -> None:
    """Beat often."""
    heartbeat.BEAT_SECONDS = 0.01
    heartbeat.end_with_parent()
    heartbeat.beat(loops=False)
    time.sleep(1000)


def end_with_others(own: str, *others: str) -> None:
    """When asked to stop, write a note, and end only after the others' notes exist."""
    note = Path(own)

    def end(_number: int, _frame: FrameType | None) -> None:
        note.write_text("asked")
        while not all(Path(other).exists() for other in others):
            time.sleep(0.01)
        note.write_text("ended")
        sys.exit()

    signal.signal(signal.SIGTERM, end)
    note.with_suffix(".ready").touch()
    while True:
        time.sleep(1)
