"""The queues and the notifications of one run, in virtual time.

The queues keep RQ's promises: a job has an id, and is put in once while it waits, is at work, or
has just failed. Faults may double a job, and all jobs can be lost at any time. The channel of
notifications is the product's own. Only the waiting of strands is the simulation's.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, Self

from service.store.jobs.table import FAILURE_TTL, QUEUE_OF
from service.store.journal.notifications import Channel, Channels, Waiter
from tests.simulation.kernel import SECOND, Kernel, Strand

if TYPE_CHECKING:
    from tests.simulation.processes import Process
    from tests.simulation.world import World

HANGS = 4 * SECOND  # how long a wake waits for a silent queue
LATEST = 8 * SECOND


@dataclass(slots=True)
class Job:
    """A job.

    worker: the worker of a begun job, "" while it waits. claimed_until: of the timer of
    webhooks.
    """

    id: str
    queue: str
    match: str
    worker: str = ""
    claimed_until: int = 0


class SimulatedQueues:
    """The queues, and their idle workers."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._jobs: dict[str, Job] = {}
        # The ids of jobs begun by dead workers and found since the last look.
        self._left_behind: list[str] = []
        # Until when a failed job blocks its own wake, by its id.
        self._blocked: dict[str, int] = {}
        # The jobs waiting for a worker, and the workers waiting for a job, by queue.
        self._waiting: defaultdict[str, deque[Job]] = defaultdict(deque)
        self._idle: defaultdict[str, deque[Strand]] = defaultdict(deque)

    def enqueue(self, process: "Process", match_id: str, version: int, awaiting: str) -> None:
        """Enqueue a job as `service.store.jobs.queues.Queues.enqueue` does. It never raises."""
        world = self._world
        fault = world.faults.of_wake()
        world.kernel.pause(world.travel())

        name = world.trace.name(match_id)
        fate = f" {fault}" if fault else ""
        world.say(f"{process.name}: wake for {awaiting} of {name} v{version}{fate}")

        job = Job(f"{awaiting}-{match_id}-{version}", QUEUE_OF[awaiting], match_id)
        self._deliver(job, fault)

    def put(self, name: str, job_id: str, *arguments: str | int) -> None:
        """Enqueue a job as `service.store.jobs.queues.Queues.put` does."""
        match_id, claimed_until = arguments
        world = self._world
        fault = world.faults.of_wake()
        world.kernel.pause(world.travel())
        job = Job(job_id, name, str(match_id), claimed_until=int(claimed_until))
        self._deliver(job, fault)

    def depth(self, name: str) -> int:
        """Return the number of waiting jobs in a queue."""
        return len(self._waiting[name])

    def _deliver(self, job: Job, fault: str | None) -> None:
        """Enqueue a job as its fault lets it."""
        world = self._world
        match fault:
            case None:
                self._put(job)
            case "doubled":
                twin = replace(job)
                self._put(job)
                self._enqueue(twin)
            case "late":
                arrives = world.kernel.now + world.faults.up_to(LATEST)
                world.kernel.at(arrives, partial(self._put, job))
            case "hangs":
                world.kernel.pause(HANGS)

    def _put(self, job: Job) -> None:
        """Enqueue a job, unless one of its id waits, is at work, or has failed just now."""
        old_job = self._jobs.get(job.id)
        is_lost = old_job and old_job.worker and old_job.worker not in self._world.living_workers()
        if is_lost:
            self._left_behind.append(job.id)
            del self._jobs[job.id]

        is_blocked = self._blocked.get(job.id, 0) > self._world.kernel.now
        if job.id in self._jobs or is_blocked:
            return
        self._jobs[job.id] = job
        self._enqueue(job)

    def _enqueue(self, job: Job) -> None:
        """Let a job wait, and call an idle worker."""
        self._waiting[job.queue].append(job)
        idle_workers = self._idle[job.queue]
        if idle_workers:
            first_worker = idle_workers.popleft()
            self._world.kernel.unpark(first_worker, self._world.travel())

    def take(self, worker: str, queue: str) -> Job:
        """Return the next job of a queue. Wait for it."""
        kernel = self._world.kernel
        waiting = self._waiting[queue]
        while not waiting:
            assert kernel.current is not None
            self._idle[queue].append(kernel.current)
            kernel.park()

        job = waiting.popleft()
        job.worker = worker
        return job

    def leave(self, strand: Strand) -> None:
        """Let a dead strand wait no longer."""
        for idle in self._idle.values():
            if strand in idle:
                idle.remove(strand)

    def done(self, job: Job) -> None:
        """Forget a job that was done."""
        if self._jobs.get(job.id) is job:
            del self._jobs[job.id]

    def failed(self, job: Job) -> None:
        """Let a failed job block its own wake for a while."""
        self.done(job)
        self._blocked[job.id] = self._world.kernel.now + FAILURE_TTL * SECOND

    def count(self, _counter: object) -> None:
        """Count nothing: the checker does."""

    def scheduler_beat(self, _name: str) -> None:
        """Note a beat of the scheduler. Nobody asks for it here."""

    def to_blame(self) -> list[str]:
        """Return the ids of dead workers' jobs that were found since the last call."""
        leftovers = self._left_behind
        self._left_behind = []
        return leftovers

    def flush(self) -> None:
        """Lose all jobs."""
        self._jobs.clear()
        self._blocked.clear()
        for waiting in self._waiting.values():
            waiting.clear()


class _Lock:
    """A lock between strands."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._holder: Strand | None = None
        self._waiting: deque[Strand] = deque()

    def __enter__(self) -> Self:
        strand = self._kernel.current
        assert strand is not None
        while self._holder is not None:
            self._waiting.append(strand)
            self._kernel.park()
        self._holder = strand
        return self

    def __exit__(self, *_error: object) -> None:
        self._holder = None
        waiting = list(self._waiting)
        self._waiting.clear()
        for strand in waiting:
            self._kernel.unpark(strand)


class _Waiter(Waiter):
    """The waiter of a strand."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._sleeper: Strand | None = None
        self._is_released = False

    def wait(self, seconds: float) -> bool:
        """Let virtual time pass until the waiter is released, or for so many seconds."""
        kernel = self._kernel
        end = kernel.now + ceil(seconds * SECOND)  # a rest of a tick would never pass
        while not self._is_released and kernel.now < end:
            self._sleeper = kernel.current
            kernel.pause(end - kernel.now)
            self._sleeper = None
        return self._is_released

    def release(self) -> None:
        """Wake the strand if it sleeps."""
        self._is_released = True
        if self._sleeper is not None:
            self._kernel.unpark(self._sleeper)
            self._sleeper = None


class _SharedWaiter(_Waiter):
    """The waiter of a strand for several matches. It can be used again and again."""

    def wait(self, seconds: float) -> bool:
        """Wait until released since the last wait, or so many seconds."""
        was_released = super().wait(seconds)
        self._is_released = False
        return was_released


class _Channel(Channel):
    def __init__(self, kernel: Kernel) -> None:
        super().__init__(new_waiter=lambda: _Waiter(kernel))
        anything: Any = self
        anything._querying = _Lock(kernel)


class SimulatedNotifications:
    """The subscriber of one process."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._channels: dict[str, _Channel] = {}
        self.stopped = False

    @contextmanager
    def follow(self, match_id: str) -> Iterator[Channel]:
        """Follow a match."""
        channel = self._channels.setdefault(match_id, _Channel(self._world.kernel))
        channel.followers += 1
        try:
            yield channel
        finally:
            channel.followers -= 1

    @contextmanager
    def follow_many(self, matches: Sequence[str]) -> Iterator[Channels]:
        """Follow several matches as one follower."""
        with ExitStack() as stack:
            by_match: dict[str, Channel] = {
                match: stack.enter_context(self.follow(match)) for match in matches
            }
            yield Channels(by_match, new_waiter=lambda: _SharedWaiter(self._world.kernel))

    def hear(self, match_id: str) -> None:
        """Take the news of a commit."""
        channel = self._channels.get(match_id)
        if channel is not None:
            channel.tick()
