"""A worker process: RQ's SimpleWorker on exactly one queue, since only then a popped job stays in sight."""

import logging
import os
from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from rq import SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import import_attribute

from service.jobs import FUNCTIONS, queue
from workers import context

_log = logging.getLogger(__name__)

TTL = 30  # seconds; the time between heartbeats is half of it
MAINTENANCE = 60  # seconds between RQ's own sweeps of its registries


class Hand(SimpleWorker):
    """A worker that looks for a lost Redis every second and logs a failed job without its arguments."""

    exponential_backoff_factor = 1.0

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log the failure in one line."""
        _log.error("a job failed", exc_info=exc_info, extra={"job": job.id})


def hand(name: str, connection: Redis) -> Hand:
    """Return a worker for the queue of this name."""
    return Hand(
        [queue(name, connection)],
        name=f"{name}-{os.uname().nodename}-{os.getpid()}",
        connection=connection,
        serializer=JSONSerializer,
        worker_ttl=TTL,
        maintenance_interval=MAINTENANCE,
        log_job_description=False,
    )


def run(name: str) -> None:
    """Work on the queue of this name until SIGTERM; the job at hand is finished first."""
    import_attribute(FUNCTIONS[name])  # before the first job, not during it
    try:
        hand(name, context.queues().redis).work(logging_level=None)
    except RedisError as error:
        _log.warning("the worker ended without Redis", extra={"error": type(error).__name__})
