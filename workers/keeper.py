"""The keeper: sees to it that no match waits in vain, and that none that is left alone stays for ever.

It wakes again whatever is pending for longer than a moment, and ends matches in which nothing happens any more.
Two keepers at once do no harm: a wake repeated is one job, and a job done twice appends once.
"""

import logging
import os
import signal
import threading

from redis.exceptions import RedisError

from service.journal.port import JournalUnavailable
from service.matches import expiry, house
from service.matches.expiry import HOUR, Patience
from workers import context
from workers.recovery import Lost

_log = logging.getLogger(__name__)

ROUND_SECONDS = 0.5
IDLE_ROUNDS = 20  # from one look for idle matches to the next


def run() -> None:
    """Keep until SIGTERM or SIGINT."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    lost = Lost(context.queues())
    rounds = 0
    _log.info("the keeper is ready")

    while not stop.wait(ROUND_SECONDS):
        ended = attempt(lost, look=rounds % IDLE_ROUNDS == 0)
        rounds = 0 if ended else rounds + 1  # where some were ended more may be due
    _log.info("the keeper has stopped")


def attempt(lost: Lost, *, look: bool = True) -> int:
    """Make one round, as `keep` does; a Redis that is away is for the next round."""
    try:
        return keep(lost, look=look)
    except (RedisError, JournalUnavailable) as error:
        _log.warning("the keeper waits for Redis", extra={"error": type(error).__name__})
        return 0


def keep(lost: Lost, *, look: bool = True) -> int:
    """Forget the jobs of dead workers, so that they can be woken, and wake what has waited too long.

    look: also look for matches that were left alone. Return how many of those were ended.
    """
    context.queues().keeper_beat(f"keeper-{os.uname().nodename}-{os.getpid()}")
    for job in lost.forget():
        _log.warning("a worker died at work", extra={"job": job})
    config = context.config()
    house.sweep(context.desk(), config.keeper_after_ms)
    if not look:
        return 0
    patience = Patience(
        open=config.expire_open_hours * HOUR, running=config.expire_running_hours * HOUR
    )
    return expiry.expire(context.desk(), patience)
