"""An RQ worker that ends in order: when it is told to, and when Redis hinders it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from redis.client import PubSubWorkerThread
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import DequeueTimeout, StopRequested
from rq.job import Job
from rq.suspension import is_suspended
from rq.worker import WorkerStatus

from workers.stopping import StopOrder

_LOOK_SECONDS = 0.25  # from one look at the order to stop to the next, while it waits for a job
_BEAT_SECONDS = 15.0  # at most, from one heartbeat to the next
_SUSPENDED_SECONDS = 1.0  # from one look whether workers are suspended to the next
_ANSWER_SECONDS = 5  # a Redis that takes longer does not answer


class OrderlyWorker(SimpleWorker):
    """A worker that ends when it is told to, and when Redis refuses a command or does not answer.

    stop: whether this process was told to stop.   hindrance: the error of Redis that has ended this
    worker, if any.
    """

    stop: StopOrder
    hindrance: RedisError | None = None

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

    def _install_signal_handlers(self) -> None:
        """Leave the signals to `stop`: RQ's handlers raise an exception wherever they interrupt."""

    def check_for_suspension(self, burst: bool) -> None:  # noqa: ARG002 - as RQ has it
        """Wait while workers are suspended; raises StopRequested if this one is told to stop."""
        with self.ends_without_redis():
            while not self.stop.given and is_suspended(self.connection, self):
                self.stop.wait(_SUSPENDED_SECONDS)
        if self.stop.given:
            raise StopRequested

    def run_maintenance_tasks(self) -> None:
        """Sweep the registries of RQ."""
        with self.ends_without_redis():
            super().run_maintenance_tasks()  # type: ignore[no-untyped-call]

    def dequeue_job_and_maintain_ttl(
        self,
        timeout: int | None,
        max_idle_time: int | None = None,  # noqa: ARG002 - as RQ has it
    ) -> tuple[Job, Queue] | None:
        """Wait for the next job and return it; raises StopRequested when told to stop before.

        None: there is none, and none is waited for (`timeout` is None).
        RQ would wait for many seconds without a look at the order to stop.
        """
        with self.ends_without_redis():
            self.set_state(WorkerStatus.IDLE)
            next_beat = 0.0
            while not self.stop.given:
                if time.monotonic() >= next_beat:
                    self._beat()
                    next_beat = time.monotonic() + _BEAT_SECONDS
                with suppress(DequeueTimeout):
                    return self._pop(waits=timeout is not None)
        raise StopRequested

    def _beat(self) -> None:
        """Tell RQ that this worker lives, and sweep its registries if it is time."""
        self.heartbeat()
        if self.should_run_maintenance_tasks:
            self.run_maintenance_tasks()

    def _pop(self, *, waits: bool) -> tuple[Job, Queue] | None:
        """Return the next job, None if there is none and nothing is waited for.

        Raises DequeueTimeout if none has come in time.
        """
        return Queue.dequeue_any(
            self.queues,
            _LOOK_SECONDS if waits else None,  # type: ignore[arg-type] # BLMOVE takes fractions
            connection=self.connection,
            job_class=self.job_class,
            serializer=self.serializer,
        )

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Do the job; put it back, and raise StopRequested, if told to stop before it is begun."""
        if self.stop.given:
            _put_back(job, queue)
            raise StopRequested
        super().execute_job(job, queue)

    def register_death(self) -> None:
        """Tell RQ that this worker ends; it forgets one that cannot tell it after a while."""
        if self.hindrance is None:
            with suppress(RedisError):
                super().register_death()  # type: ignore[no-untyped-call]

    def unsubscribe(self) -> None:
        """End the thread that listens to RQ's commands.

        The thread is told first: RQ tells it after the message that wakes it, and it may then
        listen on, while the worker waits a second for it. A broken connection wakes it as well.
        """
        listener: PubSubWorkerThread | None = self.pubsub_thread
        if listener is not None:
            listener.stop()
        with suppress(RedisError):
            super().unsubscribe()  # type: ignore[no-untyped-call]


def _put_back(job: Job, queue: Queue) -> None:
    """Put a job that was popped and not begun to the front of its queue, for another worker."""
    with queue.connection.pipeline() as pipeline:
        pipeline.lrem(queue.intermediate_queue_key, 1, job.id)
        queue.push_job_id(job.id, pipeline=pipeline, at_front=True)
        pipeline.execute()
