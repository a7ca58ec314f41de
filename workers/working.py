"""A worker process: one worker after the other, since each ends when Redis does not answer it."""

import logging
import os
from itertools import count

from redis.exceptions import RedisError
from rq.utils import import_attribute

from service.jobs.queues import ADVICE, EXHIBITIONS, FUNCTIONS, Queues
from service.process import life
from workers import context
from workers.outage import Outage
from workers.stopping import StopOrder
from workers.worker import make_worker

_log = logging.getLogger(__name__)

NICENESS = 10  # of the workers for which no match waits
_NICE = (EXHIBITIONS, ADVICE)


def run(queue: str) -> None:
    """Work on the queue of this name until SIGTERM.

    The job at hand is finished first, and the end is logged.
    """
    stop = StopOrder()
    stop.listen()
    import_attribute(FUNCTIONS[queue])  # before the first job, not during it
    if queue in _NICE:
        os.nice(NICENESS)

    try:
        work_on(queue, context.queues(), stop)
    finally:
        _log.info("the worker has stopped", extra={"queue": queue})


def work_on(queue: str, queues: Queues, stop: StopOrder) -> None:
    """Work on a queue until this process is told to stop.

    Whenever Redis is away, or refuses to write, wait until a new worker can begin. It has another
    name, so that the keeper knows of every job that the last one could not end.
    """
    outage = Outage(_log, "the worker")

    for number in count():
        error = _work(queue, queues, number, stop, outage)
        if error is None or stop.given:
            return

        outage.begin(error)
        life.sign()
        stop.wait(outage.pause)


def _work(
    queue: str, queues: Queues, number: int, stop: StopOrder, outage: Outage
) -> RedisError | None:
    """Let a worker do jobs; return what has kept it from that, None if nothing has."""
    try:
        worker = make_worker(queue, queues, number, stop)
        worker.when_ready = outage.end
        worker.work(logging_level=None)
    except RedisError as error:
        return error
    return worker.hindrance
