"""An RQ worker that ends in order, without an error of its own, when Redis hinders it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from redis.client import PubSubWorkerThread
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job


class OrderlyWorker(SimpleWorker):
    """A worker that ends when it is told to, and when Redis refuses a command or does not answer.

    While it waits for jobs it goes on without an answer, and asks again every second.

    told_to_stop: whether it was told to.   hindrance: the error of Redis that has ended it, if any.
    """

    exponential_backoff_factor = 1.0

    told_to_stop = False
    hindrance: RedisError | None = None

    _has_job = False  # whether it is at a job now

    @contextmanager
    def ends_without_redis(self) -> Iterator[None]:
        """End in order, and remember why, if Redis hinders what is done within."""
        try:
            yield
        except RedisError as error:
            self.hindrance = error
            raise StopRequested from error

    def check_for_suspension(self, burst: bool) -> None:
        """Wait while workers are suspended."""
        with self.ends_without_redis():
            super().check_for_suspension(burst)

    def run_maintenance_tasks(self) -> None:
        """Sweep the registries of RQ."""
        with self.ends_without_redis():
            super().run_maintenance_tasks()  # type: ignore[no-untyped-call]

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """Wait for the next job and return it."""
        with self.ends_without_redis():
            return super().dequeue_job_and_maintain_ttl(timeout, max_idle_time)

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Do the job."""
        self._has_job = True
        try:
            super().execute_job(job, queue)
        finally:
            self._has_job = False

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """End after the job at hand, at once if there is none.

        For RQ a worker is busy until it begins to wait for the next job. Told to stop just before,
        it would wait on, and end only after one more job.
        """
        self.told_to_stop = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]
        if not self._has_job:
            raise StopRequested

    def register_death(self) -> None:
        """Tell RQ that this worker ends; it forgets one that cannot tell it after a while."""
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
