"""A worker process: one worker after the other, since each ends when Redis does not answer it."""

import logging
import os
import signal
import sys
import time
from itertools import count
from types import FrameType

from redis import Redis
from redis.exceptions import RedisError
from rq.exceptions import StopRequested
from rq.utils import import_attribute

from service.jobs.queues import ADVICE, EXHIBITIONS, FUNCTIONS
from service.process import life
from workers import context
from workers.outage import Outage
from workers.worker import make_worker

_log = logging.getLogger(__name__)

NICENESS = 10  # of the workers for which no match waits
_NICE = (EXHIBITIONS, ADVICE)


def run(queue: str) -> None:
    """Work on the queue of this name until SIGTERM.

    The job at hand is finished first, and the end is logged.
    """
    _end_when_told()
    import_attribute(FUNCTIONS[queue])  # before the first job, not during it
    if queue in _NICE:
        os.nice(NICENESS)

    try:
        work_on(queue, context.queues().redis)
    finally:
        _log.info("the worker has stopped", extra={"queue": queue})


def work_on(queue: str, connection: Redis) -> None:
    """Work on a queue until this process is told to stop.

    Whenever Redis is away, or refuses to write, wait until a new worker can begin. It has another
    name, so that the keeper knows of every job that the last one could not end.
    """
    outage = Outage(_log, "the worker")

    for number in count():
        error = _work(queue, connection, number, outage)
        if error is None:
            return

        outage.begin(error)
        life.sign()
        time.sleep(outage.pause)


def _work(queue: str, connection: Redis, number: int, outage: Outage) -> RedisError | None:
    """Let a worker do jobs; return what has kept it from that, None if it was told to stop."""
    try:
        worker = make_worker(queue, connection, number)
        worker.when_ready = outage.end
        worker.work(logging_level=None)
    except StopRequested:  # while the worker was ending
        return None
    except RedisError as error:
        return error
    finally:
        _end_when_told()  # RQ has had its own handlers

    return None if worker.told_to_stop else worker.hindrance


def _end_when_told() -> None:
    """End this process at SIGTERM or SIGINT, from now on, until a worker handles them."""

    def end(_number: int, _frame: FrameType | None) -> None:
        sys.exit(0)

    for signal_number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signal_number, end)
