"""A worker process: RQ's SimpleWorker on one queue; only then a popped job stays visible."""

import logging
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from types import FrameType
from typing import Any

from redis.exceptions import RedisError
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.timeouts import UnixSignalDeathPenalty
from rq.worker_registration import register

from service import tracing
from service.jobs.queues import (
    CODED,
    FAILURES,
    FUNCTIONS,
    Queues,
    numbered,
    open_queue,
    process_name,
    worker_name,
)
from service.jobs.seal import Seal, code_in
from service.journal.errors import JournalUnavailable
from service.process import life
from workers.allowed_jobs import LONGEST_ID, AllowedJob
from workers.orderly import OrderlyWorker
from workers.stopping import StopOrder

_log = logging.getLogger(__name__)

TTL = 30  # seconds; the time between heartbeats is half of it
MAINTENANCE = 60  # seconds between RQ's own sweeps of its registries
SLOW_MS = 1000  # a job that takes this long is logged at the level `info`
LISTEN_AGAIN_SECONDS = 0.5  # from one try to listen to the next


class Deadline(UnixSignalDeathPenalty):
    """Ends a job that takes too long, and again after the same time if it goes on nevertheless.

    A job may swallow the first exception, like any other. One that waits for Redis ends as one
    whose journal is away, which is no match's fault.
    """

    def setup_death_penalty(self) -> None:
        """Have a signal come after the time, and again and again until the job has ended."""
        signal.signal(signal.SIGALRM, self.handle_death_penalty)
        signal.setitimer(signal.ITIMER_REAL, self._timeout, self._timeout)

    def handle_death_penalty(self, signum: int, frame: FrameType | None) -> None:
        """End the job by an exception."""
        if _waits_for_redis(frame):
            raise JournalUnavailable("Redis has not answered within the time of the job")
        super().handle_death_penalty(signum, frame)  # type: ignore[no-untyped-call]


class QueueWorker(OrderlyWorker):
    """A worker of one queue, which does only jobs that are allowed.

    Others are logged and dropped before anything of them is imported or called. A failed job is
    logged without its arguments. The worker registers anew if the server has lost all it held.

    seal: what tells the service's own jobs.   when_ready: what it calls when it is ready to work.
    """

    death_penalty_class = Deadline

    seal: Seal
    when_ready: Callable[[], None] | None = None

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        """Tell RQ that this worker lives, and all that it knows of it if that was lost.

        Tell the supervisor too that the loop goes on.
        """
        life.sign()
        if pipeline is not None:
            super().heartbeat(timeout, pipeline)
            return

        with self.ends_without_redis(), self.connection.pipeline(transaction=False) as beat:
            super().heartbeat(timeout, beat)
            beat.hset(self.key, mapping=self.serialize())
            register(self, beat)
            beat.execute()

    def _pubsub_exception_handler(self, exc: Exception, _pubsub: Any, _thread: Any) -> None:
        """Go on listening whatever Redis answers: who does not listen is taken for dead.

        RQ's own handler lets the thread end when an answer does not come in time. A connection that
        another thread closes meanwhile has no socket any more, which redis-py tells by a TypeError.
        """
        if not isinstance(exc, RedisError | OSError | TypeError):
            raise exc
        _log.warning("the worker listens again", extra={"error": type(exc).__name__})
        time.sleep(LISTEN_AGAIN_SECONDS)

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Do the job, or drop it if it is not one that the service has made."""
        with self.ends_without_redis():
            self._do_or_drop(job, queue)

    def _do_or_drop(self, job: Job, queue: Queue) -> None:
        refusal = _refusal(job, queue, self.seal)
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
        try:
            super().bootstrap(*arguments, **more)
        except RedisError:
            self.unsubscribe()
            raise

        _log.info("the worker is ready", extra={"queue": self.queues[0].name})
        life.sign()
        if self.when_ready is not None:
            self.when_ready()

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log the failure in one line, and count it where all processes see it."""
        error_type = exc_info[0]
        _log.error("a job failed", exc_info=exc_info, extra={"job": job.id})
        tracing.set_attribute("error.type", error_type.__name__)

        if job.origin in FUNCTIONS:
            with suppress(RedisError):
                self.connection.hincrby(FAILURES, job.origin, 1)


def make_worker(
    queue: str, queues: Queues, number: int = 0, stop: StopOrder | None = None
) -> QueueWorker:
    """Return a worker for the queue of this name; raises RedisError.

    number: how many this process has had before.   stop: what tells it to stop, None for nothing.
    """
    connection = queues.redis
    process = numbered(process_name(), number)
    worker = QueueWorker(
        [open_queue(queue, connection, AllowedJob)],
        name=worker_name(queue, connection, process),
        connection=connection,
        serializer=JSONSerializer,
        job_class=AllowedJob,
        worker_ttl=TTL,
        maintenance_interval=MAINTENANCE,
        log_job_description=False,
    )
    worker.seal = queues.seal
    worker.stop = stop or StopOrder()
    return worker


def _waits_for_redis(frame: FrameType | None) -> bool:
    """Return whether a frame, or one that has called it, is of the client of Redis."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if module.partition(".")[0] == "redis":
            return True
        frame = frame.f_back
    return False


def _refusal(job: Job, queue: Queue, seal: Seal) -> str:
    """Return why a worker of a queue may not do a job, "" if it may."""
    if not isinstance(job, AllowedJob):
        return "it was read as another kind of job"
    if job.refusal:
        return job.refusal
    if job.origin != queue.name:
        return "it is of another queue"

    code = code_in(job.meta)
    may_lack_it = code is None and queue.name not in CODED
    if not may_lack_it and not seal.is_code(code, queue.name, job.id, job.args):
        return "this service has not made it"
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
