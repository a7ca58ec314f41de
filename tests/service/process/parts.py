"""What tests have children of a supervisor run, each in a fork of the test."""

import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from service.process import heartbeat

SLEEPER = f"{__name__}:sleep"
BEATING = f"{__name__}:beat"
ENDS_WITH_OTHERS = f"{__name__}:end_with_others"


def sleep() -> None:
    """Do nothing."""
    time.sleep(1000)


def beat(*arguments: str) -> None:
    """Beat often; "with-member": have started another process that does the same."""
    heartbeat.BEAT_SECONDS = 0.01
    member = os.fork() if "with-member" in arguments else None
    if member == 0:
        heartbeat.end_with_parent(group=os.getppid())
    else:
        heartbeat.end_with_parent()
    if member:
        signal.signal(signal.SIGTERM, lambda *_: _end_with(member))
    heartbeat.beat(loops=False)
    time.sleep(1000)


def _end_with(member: int) -> None:
    """End the process that this one has started, and then this one."""
    os.kill(member, signal.SIGKILL)
    os._exit(0)


def end_with_others(own: str, *others: str) -> None:
    """When asked to stop, write that down, and end only when the others have done so, too."""
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
