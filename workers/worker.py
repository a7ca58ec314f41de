"""A worker: RQ's SimpleWorker on one queue, for allowed jobs only. It stops at safe points.

    ready      `bootstrap`: a thread listens to the worker's channel
    idle       `dequeue_job_and_maintain_ttl`: sends heartbeats, and checks for the order to stop
    at work    `execute_job`: does the popped job, or drops a refused job
    stopped    after the order to stop: `work_on` returns
    hindered   after an error of Redis: `work_on` waits, then makes another worker

A process has one worker at a time. A worker does its jobs in its own process, without a fork. So
the death of the process ends the listener, too, and Redis shows that nobody does the job any more.

Example: a process is killed during a job of a match. The match is still due, so the scheduler
enqueues the match again (`automation.sweep`). `Queues.put` finds the begun job, and no listener for
its worker. So `put` removes the job, notes it in `left_behind`, and enqueues a new job. If the
process still has no worker after GONE_SECONDS, `LostJobs` returns the lost job, and `blame` notes
the death at the match. If only Redis failed, the process has a new worker by then.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from time import perf_counter
from traceback import walk_stack
from types import FrameType
from typing import Any, NamedTuple, cast

from redis import Redis
from redis.client import PubSub
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

TTL = 30  # seconds. Heartbeats are half as far apart (_BEAT_SECONDS).
MAINTENANCE = 60  # seconds between RQ's sweeps of its registries
SLOW_MS = 1000  # jobs that take at least this long are logged at the level `info`
LISTEN_SECONDS = 60  # timeout of one wait for a command
LISTEN_AGAIN_SECONDS = 0.5  # pause after an error before a worker listens again
END_SECONDS = 1  # the longest wait of an ending worker for its listening thread
GRACE_SECONDS = 10  # from the timeout of a job until the job counts as lost

NICENESS = 10  # lowers the priority of workers of nice queues (`QueueKind.is_nice`)

# Pools hand out connections and take them back in these functions of these modules.
_HAND_OVERS = ("_take", "_give_back", "get_connection", "release")
_POOLS = ("service.store.journal.redis.connection", "redis.connection")
_HAND_OVER_SECONDS = 0.01  # delay of a job's timeout during such a function call

_LOOK_SECONDS = 0.25  # between checks for the order to stop, while a worker waits for a job
_BEAT_SECONDS = 15.0  # between heartbeats in Redis
_SUSPENDED_SECONDS = 1.0  # between checks for the end of a suspension of workers
_ANSWER_SECONDS = 5  # timeout of an answer of Redis


class Lane(NamedTuple):
    """One queue with the function of its jobs.

    do: called with the arguments of each job.   close: ends everything that jobs left running.
    """

    queue: str
    queues: Queues
    do: Callable[..., None]
    close: Callable[[], None] = lambda: None


def run(queue: str, stop: StopOrder, open_lane: Callable[[], Lane]) -> None:
    """Work on a queue until the order to stop. A job that has begun is finished first."""
    if QUEUES[queue].is_nice:
        os.nice(NICENESS)

    try:
        lane = open_lane()
        try:
            work_on(lane, stop)
        finally:
            lane.close()
    finally:
        _log.info("worker stopped", extra={"queue": queue})


def work_on(lane: Lane, stop: StopOrder) -> None:
    """Work on a queue until this process is ordered to stop.

    After an error of Redis, wait until a new worker can begin. The new worker has another name, so
    an unfinished job of the old worker counts as lost.
    """
    outage = Outage(_log, "worker")
    for number in count():
        error: RedisError | None
        try:
            worker = make_worker(lane, number, stop, outage)
            worker.work(logging_level=None)
            error = worker.hindrance
        except RedisError as raised:  # the worker was not ready yet
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
    """Return a worker for a queue. Raises RedisError.

    number: number of earlier workers in this process.
    stop: order to stop. None: an order that nobody gives.
    outage: ended once the worker is ready. None: a new outage.
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
    worker.outage = outage or Outage(_log, "worker")
    return worker


def _changes_hands(frames: Sequence[FrameType]) -> bool:
    """Return True if the code of these frames is taking a connection from a pool or giving it back.

    frames: the innermost first. The opening of a connection may be interrupted: the pool takes
    the connection back after a failed opening.
    """
    for frame in frames:
        if frame.f_globals.get("__name__") in _POOLS:
            if frame.f_code.co_name == "connect":
                return False
            if frame.f_code.co_name in _HAND_OVERS:
                return True
    return False


class JobTimeout(UnixSignalDeathPenalty):
    """Raises an exception in a job each time that its timeout has passed, until the job ends.

    One exception would not do: the job may swallow it. During a call to Redis the exception is
    JournalUnavailable, since a slow Redis is no fault of the match.
    """

    def setup_death_penalty(self) -> None:
        """Start a timer that sends SIGALRM each time the job's timeout has passed."""
        signal.signal(signal.SIGALRM, self.handle_death_penalty)
        signal.setitimer(signal.ITIMER_REAL, self._timeout, self._timeout)

    def handle_death_penalty(self, signum: int, frame: FrameType | None) -> None:
        """Raise an exception in the job, but not while a pool hands out or takes back a connection.

        The pool would lose the connection. So the exception comes after _HAND_OVER_SECONDS.
        """
        frames = [one for one, _line in walk_stack(frame)]
        if _changes_hands(frames):
            signal.setitimer(signal.ITIMER_REAL, _HAND_OVER_SECONDS, self._timeout)
            return
        if any(str(one.f_globals.get("__name__")).split(".")[0] == "redis" for one in frames):
            raise JournalUnavailable("Redis did not answer within the time of the job")
        super().handle_death_penalty(signum, frame)  # type: ignore[no-untyped-call]


class CommandListener:
    """A thread for RQ's commands to a worker.

    redis-py's thread forgets a stop before its start, and then listens on. It also closes
    the connection at its end, maybe while the worker sends a command there. This thread does
    neither.
    """

    def __init__(self, pubsub: PubSub) -> None:
        self._pubsub = pubsub
        self._stopping = threading.Event()
        self.thread = threading.Thread(target=self._listen, name="commands", daemon=True)

    def stop(self) -> None:
        """Let the thread end after its next message, error or timeout."""
        self._stopping.set()

    def _listen(self) -> None:
        """Take commands until the stop. Listen again after an error of Redis.

        A worker without a listening thread is taken for dead. redis-py raises a TypeError if
        another thread closes the connection meanwhile.
        """
        while not self._stopping.is_set():
            try:
                self._pubsub.get_message(ignore_subscribe_messages=True, timeout=LISTEN_SECONDS)
            except (RedisError, OSError, TypeError) as error:
                details = {"error": type(error).__name__}
                _log.warning("listening restarted after an error", extra=details)
                self._stopping.wait(LISTEN_AGAIN_SECONDS)


class QueueWorker(SimpleWorker):
    """A worker of one queue, for allowed jobs only.

    All other jobs are logged and dropped, and their functions are neither imported nor called. A
    failed job is logged without its arguments. The worker ends after the order to stop, or if Redis
    refuses a command or does not answer. A job popped before the end is done, or counts as lost.

    seal: proves the service's own jobs.   do: the function of all jobs.
    stop: order to this process to stop.   outage: ended once the worker is ready.
    hindrance: the error of Redis that ended the worker, None for none.
    pubsub: connection of `listener`.   listener: takes RQ's commands, None before `subscribe`.
    """

    death_penalty_class = JobTimeout

    seal: Seal
    do: Callable[..., None]
    stop: StopOrder
    outage: Outage
    hindrance: RedisError | None = None
    pubsub: PubSub
    listener: CommandListener | None = None
    _next_beat = 0.0

    @property
    def connection_timeout(self) -> int:
        """The timeout of an answer of Redis, in seconds."""
        return _ANSWER_SECONDS

    @contextmanager
    def ends_without_redis(self) -> Iterator[None]:
        """Turn an error of Redis in the block into StopRequested, and store it as `hindrance`."""
        try:
            yield
        except RedisError as error:
            self.hindrance = error
            raise StopRequested from error

    def bootstrap(self, *arguments: Any, **more: Any) -> None:
        """Register the worker, start to listen, and log its readiness."""
        try:
            super().bootstrap(*arguments, **more)
        except RedisError:
            self.unsubscribe()
            raise

        _log.info("worker ready", extra={"queue": self.queues[0].name})
        self.outage.end()

    def dequeue_job_and_maintain_ttl(
        self,
        timeout: int | None,
        max_idle_time: int | None = None,  # noqa: ARG002 - as RQ has it
    ) -> tuple[Job, Queue] | None:
        """Return the next job. Wait for a job unless `timeout` is None.

        Return None if no job is queued and `timeout` is None. Raises StopRequested after the order
        to stop, or after an error of Redis. RQ's own method would wait up to 15 seconds for a job,
        without a check for the order to stop.
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
        """Do the job, or drop it if it is refused."""
        with self.ends_without_redis():
            allowed_job = cast("AllowedJob", job)
            refusal = allowed_job.refusal(queue.name, self.seal)
            if refusal:
                details = {"job": job.id[:LONGEST_ID], "reason": refusal}
                _log.warning("job refused", extra=details)
                self.connection.lrem(queue.intermediate_queue_key, 1, job.id)
                self.connection.delete(job.key)
                return

            allowed_job.do = self.do
            with tracing.job(queue.name, job.meta):
                super().execute_job(job, queue)

    def perform_job(self, job: Job, queue: Queue, *more: Any, **options: Any) -> bool:
        """Do the job and log a success. Return True if the job succeeded.

        `handle_exception` logs a failure. Jobs are many, so only slow jobs are logged at the level
        `info`. RQ 3 also passes the execution (in `more`), RQ 2 does not.
        """
        began = perf_counter()
        succeeded = super().perform_job(job, queue, *more, **options)
        ms = (perf_counter() - began) * 1000

        if succeeded:
            level = logging.INFO if ms >= SLOW_MS else logging.DEBUG
            details = {"queue": queue.name, "job": job.id, "match": job.args[0], "ms": round(ms, 2)}
            _log.log(level, "job done", extra=details)
        return succeeded

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log the failure, and count it in Redis for all processes."""
        error_type = exc_info[0]
        _log.error("job failed", exc_info=exc_info, extra={"job": job.id})
        tracing.set_attribute("error.type", error_type.__name__)

        if job.origin in QUEUES:
            with suppress(RedisError):
                self.connection.hincrby(FAILED_JOBS.key, job.origin, 1)

    # ---- signs of life ---------------------------------------------------------------------------

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:  # noqa: ARG002
        """Send a heartbeat to the supervisor, and to RQ if the last one is _BEAT_SECONDS old.

        A call with a pipeline always sends a heartbeat to RQ.
        """
        process_heartbeat.beat()
        if pipeline is not None:
            super().heartbeat(pipeline=pipeline)
            return

        if time.monotonic() >= self._next_beat:
            self._next_beat = time.monotonic() + _BEAT_SECONDS
            with self.ends_without_redis():
                super().heartbeat()

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:  # noqa: ARG002
        """Return the time in seconds until RQ treats a begun job as abandoned."""
        return int(job.timeout or 0) + GRACE_SECONDS

    def run_maintenance_tasks(self) -> None:
        """Sweep the registries of RQ."""
        with self.ends_without_redis():
            super().run_maintenance_tasks()  # type: ignore[no-untyped-call]

    def procline(self, message: str) -> None:
        """Do nothing. RQ's method would change the name of the process in `ps`."""

    # ---- the order to stop, and the end ----------------------------------------------------------

    def _install_signal_handlers(self) -> None:
        """Do nothing: `stop` notes the signals. RQ's handlers might raise exceptions anywhere."""

    def check_for_suspension(self, burst: bool) -> None:  # noqa: ARG002 - as RQ has it
        """Wait while workers are suspended, at most until the order to stop."""
        with self.ends_without_redis():
            while is_suspended(self.connection, self) and not self.stop.wait(_SUSPENDED_SECONDS):
                self.heartbeat()

    def subscribe(self) -> None:
        """Start the listener of RQ's commands."""
        self.pubsub = self.connection.pubsub()  # type: ignore[no-untyped-call]
        self.pubsub.subscribe(**{self.pubsub_channel_name: self.handle_payload})
        listener = CommandListener(self.pubsub)
        listener.thread.start()
        self.listener = listener

    def unsubscribe(self) -> None:
        """End the listener of RQ's commands.

        The thread is told to stop before a command wakes it. A broken connection wakes the
        thread as well.
        """
        if self.listener is None:
            return

        self.listener.stop()
        with suppress(RedisError):
            self.pubsub.unsubscribe()  # type: ignore[no-untyped-call]
        self.listener.thread.join(END_SECONDS)
        self.pubsub.close()

    def register_death(self) -> None:
        """Tell RQ of the worker's end, unless Redis has failed.

        If Redis has failed, the entry of the worker in Redis expires.
        """
        if self.hindrance is None:
            with suppress(RedisError):
                super().register_death()  # type: ignore[no-untyped-call]


def _take_over(connection: Redis) -> None:
    """Move a queued job, if any, from the former queue of the house to the present queue."""
    former, today = (
        f"{Queue.redis_queue_namespace_prefix}{name}" for name in (FORMER_HOUSE, HOUSE)
    )
    unless_wrong_type(lambda: connection.lmove(former, today), None)
