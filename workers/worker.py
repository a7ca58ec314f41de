"""A worker process: RQ's SimpleWorker on one queue; only then a popped job stays visible."""

import logging
import os
from contextlib import suppress
from time import perf_counter
from typing import Any

from redis import Redis
from redis.client import PubSubWorkerThread
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import import_attribute

from service import tracing
from service.jobs.queues import EXHIBITIONS, FAILURES, FUNCTIONS, open_queue
from service.process import life
from workers import context
from workers.allowed_jobs import LONGEST_ID, AllowedJob

_log = logging.getLogger(__name__)

TTL = 30  # seconds; the time between heartbeats is half of it
MAINTENANCE = 60  # seconds between RQ's own sweeps of its registries
SLOW_MS = 1000  # a job that takes this long is logged at the level `info`
NICENESS = 10  # of the worker for which no human waits


class QueueWorker(SimpleWorker):
    """A worker that looks for a lost Redis every second.

    It logs a failed job without its arguments, and does only jobs that are allowed. Others are
    logged and dropped before anything of them is imported or called.
    """

    exponential_backoff_factor = 1.0

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Do the job, or drop it if it is not one that the service has made."""
        refusal = _refusal(job, queue)
        if refusal:
            details = {"job": job.id[:LONGEST_ID], "reason": refusal}
            _log.warning("a job was refused", extra=details)
            _drop(job, queue)
            return

        with tracing.job(queue.name, job.meta):
            super().execute_job(job, queue)

    def perform_job(self, job: Job, queue: Queue, *more: Any, **named: Any) -> bool:
        """Do the job and log it; return whether it succeeded.

        `handle_exception` logs one that failed. RQ 3 also hands over the execution, RQ 2 does not.
        """
        began = perf_counter()
        succeeded = super().perform_job(job, queue, *more, **named)

        if succeeded:
            milliseconds = (perf_counter() - began) * 1000
            _log_done(job, queue, milliseconds)
        return succeeded

    def bootstrap(self, *arguments: Any, **more: Any) -> None:
        """Get ready to work, and log that."""
        super().bootstrap(*arguments, **more)
        _log.info("the worker is ready", extra={"queue": self.queues[0].name})
        life.sign()

    def heartbeat(self, *arguments: Any, **more: Any) -> None:
        """Beat in Redis, and say to the supervisor that the loop goes on."""
        life.sign()
        super().heartbeat(*arguments, **more)

    def unsubscribe(self) -> None:
        """End the thread that listens to RQ's commands.

        The thread is told first: RQ tells it after the message that wakes it, and it may then
        listen on, while the worker waits a second for it.
        """
        listener: PubSubWorkerThread | None = self.pubsub_thread
        if listener is not None:
            listener.stop()
        super().unsubscribe()  # type: ignore[no-untyped-call]

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log the failure in one line, and count it where all processes see it."""
        error_type = exc_info[0]
        _log.error("a job failed", exc_info=exc_info, extra={"job": job.id})
        tracing.set_attribute("error.type", error_type.__name__)

        if job.origin in FUNCTIONS:
            with suppress(RedisError):
                self.connection.hincrby(FAILURES, job.origin, 1)


def make_worker(queue: str, connection: Redis) -> QueueWorker:
    """Return a worker for the queue of this name."""
    return QueueWorker(
        [open_queue(queue, connection, AllowedJob)],
        name=f"{queue}-{os.uname().nodename}-{os.getpid()}",
        connection=connection,
        serializer=JSONSerializer,
        job_class=AllowedJob,
        worker_ttl=TTL,
        maintenance_interval=MAINTENANCE,
        log_job_description=False,
    )


def run(queue: str) -> None:
    """Work on the queue of this name until SIGTERM.

    The job at hand is finished first, and the end is logged.
    """
    import_attribute(FUNCTIONS[queue])  # before the first job, not during it
    if queue == EXHIBITIONS:
        os.nice(NICENESS)

    worker = make_worker(queue, context.queues().redis)
    try:
        worker.work(logging_level=None)
    except RedisError as error:
        _log.warning("the worker ended without Redis", extra={"error": type(error).__name__})

    _log.info("the worker has stopped", extra={"queue": queue})


def _refusal(job: Job, queue: Queue) -> str:
    """Return why a worker of a queue may not do a job, "" if it may."""
    if not isinstance(job, AllowedJob):
        return "it was read as another kind of job"
    if job.refusal:
        return job.refusal
    if job.origin != queue.name:
        return "it is of another queue"
    return ""


def _log_done(job: Job, queue: Queue, milliseconds: float) -> None:
    """Log a job that was done: a slow one at `info`, any other at `debug`.

    Each turn of a bot is a job, so all of them at `info` would flood the logs.
    """
    level = logging.INFO if milliseconds >= SLOW_MS else logging.DEBUG
    details = {
        "queue": queue.name,
        "job": job.id,
        "match": job.args[0],
        "ms": round(milliseconds, 2),
    }
    _log.log(level, "a job was done", extra=details)


def _drop(job: Job, queue: Queue) -> None:
    """Forget a job that was popped but not begun."""
    with queue.connection.pipeline() as pipeline:
        pipeline.lrem(queue.intermediate_queue_key, 1, job.id)
        pipeline.delete(Job.key_for(job.id))
        pipeline.execute()
