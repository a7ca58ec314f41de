"""The keeper: sees to it that no match waits in vain. It wakes again whatever is pending for longer than a moment.

Two keepers at once do no harm: a wake repeated is one job, and a job done twice appends once.
"""

import logging
import os
import signal
import threading

from redis.exceptions import RedisError

from service.journal.port import JournalUnavailable
from service.matches import house
from workers import context
from workers.lost import Lost

_log = logging.getLogger(__name__)

ROUND_SECONDS = 0.5


def run() -> None:
    """Keep until SIGTERM or SIGINT."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    lost = Lost(context.queues())
    while not stop.wait(ROUND_SECONDS):
        attempt(lost)


def attempt(lost: Lost) -> None:
    """Make one round; a Redis that is away is for the next round."""
    try:
        keep(lost)
    except (RedisError, JournalUnavailable) as error:
        _log.warning("the keeper waits for Redis", extra={"error": type(error).__name__})


def keep(lost: Lost) -> None:
    """Forget the jobs of dead workers, so that they can be woken, and wake what has waited too long."""
    context.queues().keeper_beat(f"keeper-{os.uname().nodename}-{os.getpid()}")
    for job in lost.forget():
        _log.warning("a worker died at work", extra={"job": job})
    house.sweep(context.desk(), context.config().keeper_after_ms)
