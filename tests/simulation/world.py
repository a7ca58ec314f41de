"""One run: the store, the queues, the processes and their clients, under one seed."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from service.store.jobs.table import BOTS, EXHIBITIONS, HOUSE, WEBHOOK_JOBS
from service.store.journal.values import Entry, Head
from tests.simulation.checker import Checker
from tests.simulation.kernel import SECOND, Kernel
from tests.simulation.plan import FAR_FUTURE_SHARE, Plan
from tests.simulation.processes import Process, Scheduler, Worker
from tests.simulation.queue import SimulatedQueues
from tests.simulation.reported import Follower, Receiver
from tests.simulation.sequencing import LogOfRun
from tests.simulation.store import SLOWEST, Store, faulty_journal, travel_time


class Trace:
    """The lines of one run.

    Matches have short names in it, "m1" for the first, so that a reader can follow them.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[str, str] = {}

    def say(self, now: int, who: str, what: str) -> None:
        """Add a line: the time in seconds of virtual time, the actor, and the act."""
        self.lines.append(f"{now / SECOND:11.6f}  {who:<12} {what}")

    def name(self, match_id: str) -> str:
        """Return the short name of a match."""
        short_name = self._names.get(match_id)
        if short_name is None:
            short_name = f"m{len(self._names) + 1}"
            self._names[match_id] = short_name
        return short_name

    def digest(self) -> str:
        """Return the SHA-256 of all lines, in hex: equal runs have equal digests."""
        text = "\n".join(self.lines)
        return hashlib.sha256(text.encode()).hexdigest()


APPENDS = 3  # appends fail more often than other calls: they can lose the most


class Faults:
    """The source of faults, until `end` is called.

    counts: the number of faults of each kind.
    """

    def __init__(
        self, random: Random, journal: Mapping[str, float], queue: Mapping[str, float]
    ) -> None:
        self._random = random.random
        self._journal = list(journal.items())
        self._appends = [(name, APPENDS * probability) for name, probability in journal.items()]
        self._queue = list(queue.items())
        self.counts: dict[str, int] = {}

    def end(self) -> None:
        """Draw no fault of a call from now on."""
        self._journal = []
        self._appends = []
        self._queue = []

    def of_journal_call(self, method: str) -> str | None:
        """Return the fault of a call of the journal, None if there is none."""
        kinds = self._appends if method == "events.append" else self._journal
        return self._drawn("journal", kinds)

    def of_wake(self) -> str | None:
        """Return the fault of a wake, None if there is none."""
        return self._drawn("queue", self._queue)

    def up_to(self, most: int) -> int:
        """Return a number of microseconds below `most`, more often a small one."""
        draw = self._random()
        return int(most * draw * draw)

    def tosses_heads(self) -> bool:
        """Return True or False, each as often."""
        return self._random() < 0.5

    def jump(self, far_share: float) -> int:
        """Return the jump of a clock in microseconds: within 20 s or 2 h, ahead or back."""
        hours = self._random() < far_share
        most = 7200 * SECOND if hours else 20 * SECOND
        return int(most * (2 * self._random() - 1))

    def index(self, count: int) -> int:
        """Return a number from 0 to count - 1."""
        return int(self._random() * count)

    def _drawn(self, port: str, kinds: list[tuple[str, float]]) -> str | None:
        if not kinds:
            return None
        draw = self._random()
        for name, probability in kinds:
            draw -= probability
            if draw < 0:
                self.count(f"{port}: {name}")
                return name
        return None

    def count(self, kind: str) -> None:
        """Count one fault."""
        self.counts[kind] = self.counts.get(kind, 0) + 1


Wrap = Callable[["World", Process, Any], Any]

# The workers by name, each with its queue. A queue has two if a job done twice could do harm.
WORKERS = {
    "scoring-1": HOUSE,
    "scoring-2": HOUSE,
    "bots-1": BOTS,
    "bots-2": BOTS,
    "exhibitions": EXHIBITIONS,
    "hooks-1": WEBHOOK_JOBS,
    "hooks-2": WEBHOOK_JOBS,
}
MOST_DISCARDED = 20  # changes lost by a journal when it goes back
LONGEST_RESTART = 4 * SECOND  # of the journal
ABSENCE = (4 * SECOND, 12 * SECOND)  # of the scheduler or the journal: mostly longer than a pause


class World:
    """All parts of a run.

    wrap: wraps the journal of every process, None for nothing (see planted.py).
    """

    def __init__(self, seed: int, plan: Plan, wrap: Wrap | None = None) -> None:
        self.seed = seed
        self.plan = plan
        self._wrap = wrap
        self._draw = Random(f"{seed}|travel").random
        self._absences = Random(f"{seed}|absences")

        self.trace = Trace()
        self.kernel = Kernel(Random(f"{seed}|turns"))
        self.faults = Faults(Random(f"{seed}|faults"), plan.journal, plan.queue)
        self.checker = Checker(self._now, self._stop, _patience_that_is_checked(plan), self._beats)

        self.log = LogOfRun(self)
        self.store = Store(self._now, self._on_append, self.log.checker.published)
        self.queues = SimulatedQueues(self)
        self.receiver = Receiver(self)
        self.follower = Follower(self, "follower")
        self.webs = [Process(self, f"web-{number}") for number in (1, 2)]
        self.workers = [Worker(self, name, queue) for name, queue in WORKERS.items()]
        self.scheduler = Scheduler(self, "scheduler")
        self.of_log = self.log.processes()

    @property
    def faults_end(self) -> int:
        """The time at which all faults have ended: a slow call may last longest."""
        return self.plan.chaos + SLOWEST

    @property
    def processes(self) -> Sequence[Process]:
        """Every process."""
        return [*self.webs, *self.workers, self.scheduler, *self.of_log]

    def living_workers(self) -> list[str]:
        """Return the names of the living workers, in their present lives."""
        return [worker.life for worker in self.workers if worker.is_alive]

    def journal_of(self, process: Process) -> Any:
        """Return the journal as a process reaches it."""
        journal = faulty_journal(self, process)
        return journal if self._wrap is None else self._wrap(self, process, journal)

    def travel(self) -> int:
        """Return the travel time of a message, in microseconds."""
        return travel_time(self._draw())

    def moment(self) -> int:
        """Return a time in microseconds, too short for anything but an interruption."""
        return int(self._draw() * 50)

    def say(self, what: str) -> None:
        """Add a line to the trace, in the name of the strand at work."""
        strand = self.kernel.current
        self.trace.say(self.kernel.now, strand.name if strand else "", what)

    def appoint_events(self) -> None:
        """Appoint the plan's events, and the end of the faults."""
        for time, name in self.plan.events:
            event = getattr(self, f"_{name.replace(' ', '_')}")
            self.kernel.at(time, partial(self._happen, name, event))
        self.kernel.at(self.plan.chaos, self._end_faults)

    def _now(self) -> int:
        return self.kernel.now

    def _beats(self) -> list[int]:
        return self.store.beats()

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

    def _scheduler_away(self) -> None:
        self.say("the scheduler is away for long")
        self.scheduler.crash(self._absences.randint(*ABSENCE))

    def _journal_away(self) -> None:
        self.say("the journal is away for long")
        self.store.down_until = self.kernel.now + self._absences.randint(*ABSENCE)

    def _backup_restored(self) -> None:
        """Let the journal go away for long, and come back as an older copy of itself."""
        self._journal_away()
        back = min(self.store.down_until, self.plan.chaos - 1)
        self.kernel.at(back, partial(self._happen, "gone back", self._gone_back))

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
            if isinstance(head, Head)
        }

    def _end_faults(self) -> None:
        """End all faults, set all clocks right, and start the dead processes."""
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
    """Return the patience of a plan. None if clocks may be wrong: no silence is known then."""
    is_clock_wrong = any(name == "clock" for _, name in plan.events)
    return None if is_clock_wrong else plan.patience
