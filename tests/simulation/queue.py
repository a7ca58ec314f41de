"""The queues of one run: what RQ promises of them, and what may become of jobs all the same.

A job has an id, and is there once: while it waits, is at work, or has failed a moment ago. All of
it can be lost at any time.
"""

from collections import defaultdict, deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from service.jobs.queues import FAILURE_TTL, QUEUES
from tests.simulation.kernel import SECOND, Strand

if TYPE_CHECKING:
    from tests.simulation.processes import Process
    from tests.simulation.world import World

HANGS = 4 * SECOND  # how long a wake waits for a queue that does not answer
LATEST = 8 * SECOND


@dataclass(slots=True)
class Job:
    """A job.

    worker: who has begun it, "" while it waits.
    """

    id: str
    queue: str
    match: str
    worker: str = ""


class SimulatedQueues:
    """The queues, with the workers that wait for a job."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._jobs: dict[str, Job] = {}
        # Until when a job that failed blocks its own wake, by its id.
        self._blocked: dict[str, int] = {}
        # The jobs that wait for a worker, and the workers that wait for a job, by queue.
        self._waiting: defaultdict[str, deque[Job]] = defaultdict(deque)
        self._idle: defaultdict[str, deque[Strand]] = defaultdict(deque)

    def enqueue(self, process: "Process", match_id: str, version: int, awaiting: str) -> None:
        """Enqueue a job as `service.jobs.queues.Queues.enqueue` does; it never raises."""
        world = self._world
        fault = world.faults.of_wake()
        world.kernel.pause(world.travel())

        name = world.trace.name(match_id)
        fate = f" {fault}" if fault else ""
        world.say(f"{process.name}: wake for {awaiting} of {name} v{version}{fate}")

        job = Job(f"{awaiting}-{match_id}-{version}", QUEUES[awaiting], match_id)
        self._deliver(job, fault)

    def _deliver(self, job: Job, fault: str | None) -> None:
        """Enqueue a job as its fault lets it."""
        world = self._world
        match fault:
            case None:
                self._put(job)
            case "doubled":
                twin = Job(job.id, job.queue, job.match)
                self._put(job)
                self._enqueue(twin)
            case "late":
                arrives = world.kernel.now + world.faults.up_to(LATEST)
                world.kernel.at(arrives, partial(self._put, job))
            case "hangs":
                world.kernel.pause(HANGS)

    def _put(self, job: Job) -> None:
        """Enqueue a job, unless one of its id is there."""
        is_blocked = self._blocked.get(job.id, 0) > self._world.kernel.now
        if job.id in self._jobs or is_blocked:
            return
        self._jobs[job.id] = job
        self._enqueue(job)

    def _enqueue(self, job: Job) -> None:
        """Let a job wait, and call a worker that has nothing to do."""
        self._waiting[job.queue].append(job)
        idle_workers = self._idle[job.queue]
        if idle_workers:
            first_worker = idle_workers.popleft()
            self._world.kernel.unpark(first_worker, self._world.travel())

    def take(self, worker: str, queue: str) -> Job:
        """Return the next job of a queue; wait for it."""
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
        """Let a strand that has died wait no longer."""
        for idle in self._idle.values():
            if strand in idle:
                idle.remove(strand)

    def done(self, job: Job) -> None:
        """Forget a job that was done."""
        if self._jobs.get(job.id) is job:
            del self._jobs[job.id]

    def failed(self, job: Job) -> None:
        """Let a job that has failed block its own wake for a while."""
        self.done(job)
        self._blocked[job.id] = self._world.kernel.now + FAILURE_TTL * SECOND

    def scheduler_beat(self, _name: str) -> None:
        """Note that the keeper is at work, which nobody asks here."""

    def forget_lost(self, living: list[str]) -> list[str]:
        """Forget the jobs that dead workers had begun; return their ids."""
        lost = [job for job in self._jobs.values() if job.worker and job.worker not in living]
        for job in lost:
            del self._jobs[job.id]
        return [job.id for job in lost]

    def flush(self) -> None:
        """Lose everything."""
        self._jobs.clear()
        self._blocked.clear()
        for waiting in self._waiting.values():
            waiting.clear()
