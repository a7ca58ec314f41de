"""A worker process: RQ's SimpleWorker on one queue; only then a popped job stays visible."""

import logging
import os
import signal
import time
from contextlib import suppress
from time import perf_counter
from typing import Any

from redis import Redis
from redis.client import PubSubWorkerThread
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.command import PUBSUB_CHANNEL_TEMPLATE
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.timeouts import UnixSignalDeathPenalty
from rq.utils import import_attribute
from rq.worker_registration import register

from service import tracing
from service.jobs.queues import (
    EXHIBITIONS,
    FAILURES,
    FUNCTIONS,
    open_queue,
    process_name,
    worker_name,
)
from service.process import life
from workers import context
from workers.allowed_jobs import LONGEST_ID, AllowedJob

_log = logging.getLogger(__name__)

TTL = 30  # seconds; the time between heartbeats is half of it
MAINTENANCE = 60  # seconds between RQ's own sweeps of its registries
SLOW_MS = 1000  # a job that takes this long is logged at the level `info`
NICENESS = 10  # of the worker for which no human waits
LISTEN_AGAIN_SECONDS = 0.5  # from one try to listen to the next


class Deadline(UnixSignalDeathPenalty):
    """Ends a job that takes too long, and again after the same time if it goes on nevertheless.

    A job may swallow the first exception, like any other.
    """

    def setup_death_penalty(self) -> None:
        """Have a signal come after the time, and again and again until the job has ended."""
        signal.signal(signal.SIGALRM, self.handle_death_penalty)
        signal.setitimer(signal.ITIMER_REAL, self._timeout, self._timeout)


class QueueWorker(SimpleWorker):
    """A worker that looks for a lost Redis every second.

    It registers anew if the server has lost all it held. It logs a failed job without its
    arguments, and does only jobs that are allowed. Others are logged and dropped before anything of
    them is imported or called.
    """

    exponential_backoff_factor = 1.0
    death_penalty_class = Deadline

    def register_birth(self) -> None:
        """Register, also if a dead process had the same name, as in a container that restarts."""
        channel = PUBSUB_CHANNEL_TEMPLATE % self.name
        [(_channel, listeners)] = self.connection.pubsub_numsub(channel)
        if not listeners:
            self.connection.delete(self.key)
        super().register_birth()  # type: ignore[no-untyped-call]

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        """Tell RQ that this worker lives, and all that it knows of it if that was lost.

        Tell the supervisor too that the loop goes on.
        """
        life.sign()
        if pipeline is not None:
            super().heartbeat(timeout, pipeline)
            return

        with self.connection.pipeline(transaction=False) as beat:
            super().heartbeat(timeout, beat)
            beat.hset(self.key, mapping=self.serialize())
            register(self, beat)
            beat.execute()

    def _pubsub_exception_handler(self, exc: Exception, _pubsub: Any, _thread: Any) -> None:
        """Go on listening whatever Redis answers: who does not listen is taken for dead.

        RQ's own handler lets the thread end when an answer does not come in time.
        """
        if not isinstance(exc, RedisError):
            raise exc
        _log.warning("the worker listens again", extra={"error": type(exc).__name__})
        time.sleep(LISTEN_AGAIN_SECONDS)

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
        name=worker_name(queue, connection, process_name()),
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
