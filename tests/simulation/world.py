"""One run: the store, the queues, the processes and their clients, under one seed."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from service.jobs.queues import BOTS, EXHIBITIONS, SCORING
from service.journal.values import Entry
from tests.simulation.checker import Checker
from tests.simulation.faults import Faults
from tests.simulation.kernel import SECOND, Kernel
from tests.simulation.plan import FAR_FUTURE_SHARE, Plan
from tests.simulation.port import SLOWEST, faulty_journal, travel_time
from tests.simulation.processes import Process
from tests.simulation.queue import SimulatedQueues
from tests.simulation.store import Store
from tests.simulation.trace import Trace
from tests.simulation.workers import Keeper, Worker

Wrap = Callable[["World", Process, Any], Any]

# The workers by name, each with its queue: two where a job that is done twice could do harm.
WORKERS = {
    "scoring-1": SCORING,
    "scoring-2": SCORING,
    "bots-1": BOTS,
    "bots-2": BOTS,
    "exhibitions": EXHIBITIONS,
}
MOST_DISCARDED = 20  # changes that a journal loses when it goes back
LONGEST_RESTART = 4 * SECOND  # of the journal


class World:
    """Everything that a run consists of.

    wrap: what is put between every process and its journal, None for nothing (see planted.py).
    """

    def __init__(self, seed: int, plan: Plan, wrap: Wrap | None = None) -> None:
        self.seed = seed
        self.plan = plan
        self._wrap = wrap
        self._draw = Random(f"{seed}|travel").random

        self.trace = Trace()
        self.kernel = Kernel(Random(f"{seed}|turns"))
        self.faults = Faults(Random(f"{seed}|faults"), plan.journal, plan.queue)
        self.checker = Checker(self._now, self._stop, _patience_that_is_checked(plan))

        self.store = Store(self._now, self._on_append)
        self.queues = SimulatedQueues(self)
        self.webs = [Process(self, f"web-{number}") for number in (1, 2)]
        self.workers = [Worker(self, name, queue) for name, queue in WORKERS.items()]
        self.keeper = Keeper(self, "keeper")

    @property
    def faults_end(self) -> int:
        """When the last fault has ended: a call that became slow may last beyond the others."""
        return self.plan.chaos + SLOWEST

    @property
    def processes(self) -> Sequence[Process]:
        """Every process."""
        return [*self.webs, *self.workers, self.keeper]

    def living_workers(self) -> list[str]:
        """Return the names of the workers that are alive, in their present lives."""
        return [worker.life for worker in self.workers if worker.is_alive]

    def journal_of(self, process: Process) -> Any:
        """Return the journal as a process reaches it."""
        journal = faulty_journal(self, process)
        return journal if self._wrap is None else self._wrap(self, process, journal)

    def travel(self) -> int:
        """Return how long a message is on its way, in microseconds."""
        return travel_time(self._draw())

    def moment(self) -> int:
        """Return a time too short to do anything in but to be interrupted."""
        return int(self._draw() * 50)

    def say(self, what: str) -> None:
        """Add a line to the trace, in the name of the strand at work."""
        strand = self.kernel.current
        self.trace.say(self.kernel.now, strand.name if strand else "", what)

    def appoint_events(self) -> None:
        """Let everything happen when the plan has it, and the faults end."""
        for time, name in self.plan.events:
            event = getattr(self, f"_{name.replace(' ', '_')}")
            self.kernel.at(time, partial(self._happen, name, event))
        self.kernel.at(self.plan.chaos, self._end_faults)

    def _now(self) -> int:
        return self.kernel.now

    def _happen(self, name: str, event: Callable[[], None]) -> None:
        self.kernel.current = None
        self.faults.count(f"event: {name}")
        event()

    def _crash(self) -> None:
        self._drawn_process().crash()

    def _flush(self) -> None:
        self.say("the queues are flushed")
        self.queues.flush()

    def _restart(self) -> None:
        self.say("the journal is restarted")
        self.store.down_until = self.kernel.now + self.faults.up_to(LONGEST_RESTART)

    def _clock(self) -> None:
        process = self._drawn_process()
        process.skew = self.faults.jump(FAR_FUTURE_SHARE)
        self.say(f"{process.name}: its clock is wrong by {process.skew // SECOND} s")

    def _drawn_process(self) -> Process:
        processes = self.processes
        return processes[self.faults.index(len(processes))]

    def _gone_back(self) -> None:
        change_count = self.store.change_count
        wanted_count = 1 + self.faults.index(MOST_DISCARDED)
        discarded_count = min(change_count, wanted_count)
        self.store.go_back(change_count - discarded_count)

        versions = self._stored_versions()
        self.checker.gone_back(versions)
        places = [f"{self.trace.name(match_id)} v{at}" for match_id, at in versions.items()]
        rest = ", ".join(places) or "it is empty"
        self.say(f"THE JOURNAL HAS GONE BACK by {discarded_count} changes: {rest}")

    def _stored_versions(self) -> dict[str, int]:
        """Return the version of each match that is in the store."""
        match_ids = list(self.checker.matches)
        heads = self.store.journal.events.heads(match_ids)
        return {
            match_id: head.version
            for match_id, head in zip(match_ids, heads, strict=True)
            if head is not None
        }

    def _end_faults(self) -> None:
        """Let everything be well from now on."""
        self.kernel.current = None
        self.say("the faults end; all clocks are right")
        self.faults.end()
        self.store.down_until = 0
        for process in self.processes:
            process.skew = 0
            process.start()

    def _on_append(self, entry: Entry) -> None:
        self.checker.stored(entry)
        for web in self.webs:
            web.wakes.hear(entry.match)

    def _stop(self) -> None:
        self.kernel.stopped = True


def _patience_that_is_checked(plan: Plan) -> int | None:
    """Return the patience of a plan; None if a clock is wrong, because then nobody knows."""
    is_clock_wrong = any(name == "clock" for _, name in plan.events)
    return None if is_clock_wrong else plan.patience
