"""Python imports this in each process of the campaign's service: it moves clocks and addresses.

It lies on PYTHONPATH of the service under test alone; the product knows nothing of it.

- CAMPAIGN_CLOCK names a file of two numbers: how many milliseconds the clock of web processes, and
  that of all others, is off. `time.time` and `time.time_ns` follow it at once.
- CAMPAIGN_PROXY names a directory of two sockets. Children of `giornale serve` reach the journal
  and the queues through them, the supervisor directly.
"""

import mmap
import os
import struct
import sys
import time
from pathlib import Path

OFFSETS = struct.Struct("<qq")
NANOSECONDS_PER_MILLISECOND = 1_000_000
NANOSECONDS_PER_SECOND = 1_000_000_000


def move_clocks(path: str) -> None:
    """Have the clocks of this process follow the file."""
    with Path(path).open("rb") as file:
        offsets = mmap.mmap(file.fileno(), OFFSETS.size, access=mmap.ACCESS_READ)

    place = 0 if "web" in sys.orig_argv else 1
    true_time_ns = time.time_ns

    def time_ns() -> int:
        milliseconds = OFFSETS.unpack_from(offsets)[place]
        return true_time_ns() + int(milliseconds) * NANOSECONDS_PER_MILLISECOND

    def seconds() -> float:
        return time_ns() / NANOSECONDS_PER_SECOND

    time.time_ns = time_ns
    time.time = seconds


def move_addresses(directory: str) -> None:
    """Lead a child of the supervisor to the proxy."""
    if "GIORNALE_JOURNAL_URL" in os.environ:
        os.environ["GIORNALE_JOURNAL_URL"] = f"unix://{directory}/journal.sock"
        os.environ["GIORNALE_QUEUE_URL"] = f"unix://{directory}/queue.sock?db=1"


if "CAMPAIGN_CLOCK" in os.environ:
    move_clocks(os.environ["CAMPAIGN_CLOCK"])
if "CAMPAIGN_PROXY" in os.environ:
    move_addresses(os.environ["CAMPAIGN_PROXY"])
