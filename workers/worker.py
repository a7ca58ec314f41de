"""A worker: RQ's SimpleWorker on one queue, which does allowed jobs and ends in order.

It forks for no job, so a popped job stays visible to the scheduler. It ends when it is ordered to
stop, and when Redis hinders it: its process then makes another.
"""

import logging
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from time import perf_counter
from traceback import walk_stack
from types import FrameType
from typing import Any, NamedTuple, cast

from redis import Redis
from redis.client import PubSubWorkerThread
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import DequeueTimeout, StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.suspension import is_suspended
from rq.timeouts import UnixSignalDeathPenalty
from rq.worker import WorkerStatus

from service.base import tracing
from service.base.rounds import Outage
from service.ops.process import heartbeat as process_heartbeat
from service.store.jobs.counters import FAILED_JOBS
from service.store.jobs.queues import Queues, open_queue, unless_wrong_type, worker_name
from service.store.jobs.seal import Seal
from service.store.jobs.table import FORMER_HOUSE, HOUSE, QUEUES
from service.store.journal.errors import JournalUnavailable
from workers.allowed_job import LONGEST_ID, AllowedJob
from workers.process import StopOrder

_log = logging.getLogger(__name__)

TTL = 30  # seconds; the time between heartbeats is half of it
MAINTENANCE = 60  # seconds between RQ's sweeps of its registries
SLOW_MS = 1000  # a job that takes this long is logged at the level `info`
LISTEN_AGAIN_SECONDS = 0.5  # from one try to listen to the next
GRACE_SECONDS = 10  # that a job may take longer than a worker lets it, before it counts as lost

NICENESS = 10  # of the workers for which no match waits

# Functions that take connections from a pool and give them back, and their modules.
_HAND_OVERS = ("_take", "_give_back", "get_connection", "release")
_POOLS = ("service.store.journal.redis.connection", "redis.connection")
_HAND_OVER_SECONDS = 0.01  # until a deadline tries again that has met one of them

_LOOK_SECONDS = 0.25  # from one look at the order to stop to the next, while it waits for a job
_BEAT_SECONDS = 15.0  # from one heartbeat in Redis to the next
_SUSPENDED_SECONDS = 1.0  # from one look whether workers are suspended to the next
_ANSWER_SECONDS = 5  # a Redis that takes longer does not answer


class Lane(NamedTuple):
    """One queue with the function of its jobs.

    do: does a job, given its arguments.   close: ends all that jobs have left running.
    """

    queue: str
    queues: Queues
    do: Callable[..., None]
    close: Callable[[], None] = lambda: None


def run(queue: str, stop: StopOrder, open_lane: Callable[[], Lane]) -> None:
    """Work on the queue of this name until the order to stop.

    The job at hand is finished first, and the end is logged.
    """
    if QUEUES[queue].is_nice:
        os.nice(NICENESS)

    try:
        lane = open_lane()
        try:
            work_on(lane, stop)
        finally:
            lane.close()
    finally:
        _log.info("the worker has stopped", extra={"queue": queue})


def work_on(lane: Lane, stop: StopOrder) -> None:
    """Work on a queue until this process is ordered to stop.

    Whenever Redis is away, or refuses to write, wait until a new worker can begin. It has another
    name, so that the scheduler knows of every job that the last one could not end.
    """
    outage = Outage(_log, "the worker")
    for number in count():
        error: RedisError | None
        try:
            worker = make_worker(lane, number, stop, outage)
            worker.work(logging_level=None)
            error = worker.hindrance
        except RedisError as raised:  # before it was ready
            error = raised
        if error is None or stop.given:
            return

        outage.begin(error)
        process_heartbeat.beat()
        stop.wait(outage.pause)


def make_worker(
    lane: Lane,
    number: int = 0,
    stop: StopOrder | None = None,
    outage: Outage | None = None,
) -> "QueueWorker":
    """Return a worker for a queue; raises RedisError.

    number: how many this process has had before.   stop: what orders it to stop, None for nothing.
    outage: what ends when the worker is ready.
    """
    connection = lane.queues.redis
    worker = QueueWorker(
        [open_queue(lane.queue, connection, AllowedJob)],
        name=worker_name(lane.queue, connection, number),
        connection=connection,
        serializer=JSONSerializer,
        job_class=AllowedJob,
        worker_ttl=TTL,
        maintenance_interval=MAINTENANCE,
        log_job_description=False,
    )
    worker.seal = lane.queues.seal
    worker.do = lane.do
    worker.stop = stop or StopOrder()
    worker.outage = outage or Outage(_log, "the worker")
    return worker


def _changes_hands(frames: Sequence[FrameType]) -> bool:
    """Return True if a connection is just taken from a pool or given back. Innermost frame first.

    A pool takes back a connection that cannot be opened, so opening may be interrupted.
    """
    for frame in frames:
        if frame.f_globals.get("__name__") in _POOLS:
            if frame.f_code.co_name == "connect":
                return False
            if frame.f_code.co_name in _HAND_OVERS:
                return True
    return False


class JobTimeout(UnixSignalDeathPenalty):
    """Ends a job that takes too long, and again after the same time if it goes on nevertheless.

    A job may swallow the first exception, like any other. One that waits for Redis ends as one
    whose journal is away, which is no match's fault.
    """

    def setup_death_penalty(self) -> None:
        """Have a signal come after the time, and again and again until the job has ended."""
        signal.signal(signal.SIGALRM, self.handle_death_penalty)
        signal.setitimer(signal.ITIMER_REAL, self._timeout, self._timeout)

    def handle_death_penalty(self, signum: int, frame: FrameType | None) -> None:
        """End the job by an exception, but not while a connection changes hands.

        It would be lost to the pool then.
        """
        frames = [one for one, _line in walk_stack(frame)]
        if _changes_hands(frames):
            signal.setitimer(signal.ITIMER_REAL, _HAND_OVER_SECONDS, self._timeout)
            return
        if any(str(one.f_globals.get("__name__")).split(".")[0] == "redis" for one in frames):
            raise JournalUnavailable("Redis has not answered within the time of the job")
        super().handle_death_penalty(signum, frame)  # type: ignore[no-untyped-call]


class QueueWorker(SimpleWorker):
    """A worker of one queue, which does only jobs that are allowed.

    Others are logged and dropped before anything of them is imported or called. A failed job is
    logged without its arguments. The worker ends when it is ordered to, and when Redis refuses a
    command or does not answer. A job that it has popped by then it does, or leaves as a lost one.

    seal: what tells the service's own jobs.   do: the function of all jobs.
    stop: whether this process was ordered to stop.   outage: what ends when the worker is ready.
    hindrance: the error of Redis that has ended it.
    """

    death_penalty_class = JobTimeout

    seal: Seal
    do: Callable[..., None]
    stop: StopOrder
    outage: Outage
    hindrance: RedisError | None = None
    _next_beat = 0.0

    @property
    def connection_timeout(self) -> int:
        """How many seconds an answer of Redis may take."""
        return _ANSWER_SECONDS

    @contextmanager
    def ends_without_redis(self) -> Iterator[None]:
        """End in order, and remember why, if Redis hinders what is done within."""
        try:
            yield
        except RedisError as error:
            self.hindrance = error
            raise StopRequested from error

    def bootstrap(self, *arguments: Any, **more: Any) -> None:
        """Get ready to work, and log that."""
        try:
            super().bootstrap(*arguments, **more)
        except RedisError:
            self.unsubscribe()
            raise

        _log.info("the worker is ready", extra={"queue": self.queues[0].name})
        self.outage.end()

    def dequeue_job_and_maintain_ttl(
        self,
        timeout: int | None,
        max_idle_time: int | None = None,  # noqa: ARG002 - as RQ has it
    ) -> tuple[Job, Queue] | None:
        """Wait for the next job and return it; raises StopRequested when ordered to stop before.

        None: there is none, and none is waited for (`timeout` is None).
        RQ would wait for many seconds without a look at the order to stop.
        """
        wait = None if timeout is None else _LOOK_SECONDS
        with self.ends_without_redis():
            self.set_state(WorkerStatus.IDLE)
            while not self.stop.given:
                self.heartbeat()
                if self.should_run_maintenance_tasks:
                    self.run_maintenance_tasks()
                if self.queues[0].name == HOUSE:
                    _take_over(self.connection)
                with suppress(DequeueTimeout):
                    return Queue.dequeue_any(
                        self.queues,
                        wait,  # type: ignore[arg-type] # BLMOVE takes fractions
                        connection=self.connection,
                        job_class=self.job_class,
                        serializer=self.serializer,
                    )
        raise StopRequested

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Do the job, or drop it if it is not one that the service has made."""
        with self.ends_without_redis():
            allowed_job = cast("AllowedJob", job)
            refusal = allowed_job.refusal(queue.name, self.seal)
            if refusal:
                details = {"job": job.id[:LONGEST_ID], "reason": refusal}
                _log.warning("a job was refused", extra=details)
                self.connection.lrem(queue.intermediate_queue_key, 1, job.id)
                self.connection.delete(job.key)
                return

            allowed_job.do = self.do
            with tracing.job(queue.name, job.meta):
                super().execute_job(job, queue)

    def perform_job(self, job: Job, queue: Queue, *more: Any, **named: Any) -> bool:
        """Do the job and log it; return whether it succeeded.

        `handle_exception` logs one that failed. Each turn of a bot is a job, so all of them at
        `info` would flood the logs. RQ 3 also hands over the execution, RQ 2 does not.
        """
        began = perf_counter()
        succeeded = super().perform_job(job, queue, *more, **named)
        ms = (perf_counter() - began) * 1000

        if succeeded:
            level = logging.INFO if ms >= SLOW_MS else logging.DEBUG
            details = {"queue": queue.name, "job": job.id, "match": job.args[0], "ms": round(ms, 2)}
            _log.log(level, "a job was done", extra=details)
        return succeeded

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log the failure in one line, and count it where all processes see it."""
        error_type = exc_info[0]
        _log.error("a job failed", exc_info=exc_info, extra={"job": job.id})
        tracing.set_attribute("error.type", error_type.__name__)

        if job.origin in QUEUES:
            with suppress(RedisError):
                self.connection.hincrby(FAILED_JOBS.key, job.origin, 1)

    # ---- signs of life ---------------------------------------------------------------------------

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:  # noqa: ARG002
        """Tell RQ now and then that this worker lives, and the supervisor that the loop goes on."""
        process_heartbeat.beat()
        if pipeline is not None:
            super().heartbeat(pipeline=pipeline)
            return

        if time.monotonic() >= self._next_beat:
            self._next_beat = time.monotonic() + _BEAT_SECONDS
            with self.ends_without_redis():
                super().heartbeat()

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:  # noqa: ARG002
        """Return for how many seconds RQ takes a job that was begun for one at work."""
        return int(job.timeout or 0) + GRACE_SECONDS

    def run_maintenance_tasks(self) -> None:
        """Sweep the registries of RQ."""
        with self.ends_without_redis():
            super().run_maintenance_tasks()  # type: ignore[no-untyped-call]

    def procline(self, message: str) -> None:
        """Keep the name that `ps` shows: RQ would put in each job, with the id of its match."""

    # ---- the order to stop, and the end ----------------------------------------------------------

    def _install_signal_handlers(self) -> None:
        """Leave the signals to `stop`: RQ's handlers raise an exception wherever they interrupt."""

    def check_for_suspension(self, burst: bool) -> None:  # noqa: ARG002 - as RQ has it
        """Wait while workers are suspended, until it is ordered to stop."""
        with self.ends_without_redis():
            while is_suspended(self.connection, self) and not self.stop.wait(_SUSPENDED_SECONDS):
                self.heartbeat()

    def _pubsub_exception_handler(self, exc: Exception, _pubsub: Any, _thread: Any) -> None:
        """Go on listening whatever Redis answers: a worker that does not is taken for dead.

        RQ's own handler lets the thread end when an answer does not come in time. A connection that
        another thread closes meanwhile has no socket any more, which redis-py shows by a TypeError.
        """
        if not isinstance(exc, RedisError | OSError | TypeError):
            raise exc
        _log.warning("the worker listens again", extra={"error": type(exc).__name__})
        time.sleep(LISTEN_AGAIN_SECONDS)

    def unsubscribe(self) -> None:
        """End the thread that listens to RQ's commands.

        The thread is stopped first: RQ stops it after the message that wakes it, and it may then
        listen on, while the worker waits a second for it. A broken connection wakes it as well.
        """
        listener: PubSubWorkerThread | None = self.pubsub_thread
        if listener is not None:
            listener.stop()
        with suppress(RedisError):
            super().unsubscribe()  # type: ignore[no-untyped-call]

    def register_death(self) -> None:
        """Tell RQ that this worker ends; it forgets one that cannot do so after a while."""
        if self.hindrance is None:
            with suppress(RedisError):
                super().register_death()  # type: ignore[no-untyped-call]


def _take_over(connection: Redis) -> None:
    """Move a job that waits in the former queue of the house to the queue of today."""
    former, today = (
        f"{Queue.redis_queue_namespace_prefix}{name}" for name in (FORMER_HOUSE, HOUSE)
    )
    unless_wrong_type(lambda: connection.lmove(former, today), None)
