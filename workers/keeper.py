"""The keeper: no match waits in vain, and none that is left alone stays for ever.

It wakes again what has been pending for too long, and ends matches in which nothing happens any
more. Two keepers at once do no harm: a wake repeated is one job, and a job done twice appends
once.
"""

import logging
import os
import signal
import threading
from types import FrameType

from redis.exceptions import RedisError

from service.journal.errors import JournalUnavailable
from service.matches import expiry, house
from service.matches.expiry import HOUR, Patience
from workers import context
from workers.recovery import LostJobs

_log = logging.getLogger(__name__)

ROUND_SECONDS = 0.5
IDLE_ROUNDS = 20  # from one look for idle matches to the next


def run() -> None:
    """Work round after round until SIGTERM or SIGINT."""
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    for signal_number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signal_number, stop)

    lost_jobs = LostJobs(context.queues())
    rounds = 0
    _log.info("the keeper is ready")

    while not stopping.wait(ROUND_SECONDS):
        ended = attempt(lost_jobs, look=rounds % IDLE_ROUNDS == 0)
        # Where some matches were ended more may be due, so the next round looks again.
        rounds = 0 if ended else rounds + 1

    _log.info("the keeper has stopped")


def attempt(lost_jobs: LostJobs, *, look: bool = True) -> int:
    """Make one round, as `keep` does.

    If Redis does not answer, leave the rest to the next round.
    """
    try:
        return keep(lost_jobs, look=look)
    except (RedisError, JournalUnavailable) as error:
        _log.warning("the keeper waits for Redis", extra={"error": type(error).__name__})
        return 0


def keep(lost_jobs: LostJobs, *, look: bool = True) -> int:
    """Forget the jobs of dead workers and wake what has waited too long.

    look: also end matches that were left alone for too long. Return how many were ended.
    """
    keeper_name = f"keeper-{os.uname().nodename}-{os.getpid()}"
    context.queues().keeper_beat(keeper_name)

    for job_id in lost_jobs.forget():
        _log.warning("a worker died at work", extra={"job": job_id})

    config = context.config()
    house.sweep(context.desk(), config.keeper_after_ms)
    if not look:
        return 0

    patience = Patience(
        open=config.expire_open_hours * HOUR,
        running=config.expire_running_hours * HOUR,
    )
    return expiry.expire(context.desk(), patience)
