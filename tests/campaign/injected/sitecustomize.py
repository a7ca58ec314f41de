"""Python imports this in the campaign's service: it moves clocks and addresses of its children.

It lies on PYTHONPATH of the service under test alone. The product knows nothing of it. The
supervisor forks its children, so each is moved when it begins to run.

- CAMPAIGN_CLOCK names a file of two numbers: how many milliseconds the clock of web processes, and
  that of all other children, is off. `time.time` and `time.time_ns` follow it at once.
- CAMPAIGN_PROXY names a directory of two sockets. Children of `giornale serve` reach the journal
  and the queues through them, the supervisor directly.
"""

import mmap
import os
import struct
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

OFFSETS = struct.Struct("<qq")
NANOSECONDS_PER_MILLISECOND = 1_000_000
NANOSECONDS_PER_SECOND = 1_000_000_000


def move_clocks(path: str, place: int) -> None:
    """Have the clocks of this process follow a number of the file."""
    with Path(path).open("rb") as file:
        offsets = mmap.mmap(file.fileno(), OFFSETS.size, access=mmap.ACCESS_READ)

    true_time_ns = time.time_ns

    def time_ns() -> int:
        milliseconds = OFFSETS.unpack_from(offsets)[place]
        return true_time_ns() + int(milliseconds) * NANOSECONDS_PER_MILLISECOND

    def seconds() -> float:
        return time_ns() / NANOSECONDS_PER_SECOND

    time.time_ns = time_ns
    time.time = seconds


def moved(directory: str) -> dict[str, str]:
    """Return the settings that lead to the proxy."""
    return {
        "GIORNALE_JOURNAL_URL": f"unix://{directory}/journal.sock",
        "GIORNALE_QUEUE_URL": f"unix://{directory}/queue.sock?db=1",
    }


def run_moved(process: Any) -> None:
    """Run the function of a supervisor's child, moved. Its environment is its last argument."""
    BaseProcess.run = true_run  # type: ignore[method-assign]
    move_clocks(os.environ["CAMPAIGN_CLOCK"], 0 if process.name == "web" else 1)
    *others, environment = process._args
    process._args = (*others, {**environment, **moved(os.environ["CAMPAIGN_PROXY"])})
    true_run(process)


if "CAMPAIGN_CLOCK" in os.environ:
    true_run = BaseProcess.run
    BaseProcess.run = run_moved  # type: ignore[assignment,method-assign]
