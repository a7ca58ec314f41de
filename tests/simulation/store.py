"""The journal's server, and how each process reaches it.

The server is `service.store.journal.memory` inside. It keeps all changes in their order, so that it
can go back. Each call of a process takes time, and some go wrong.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from service.record.commit import is_match_id
from service.store.journal.errors import JournalError, JournalFull, JournalUnavailable
from service.store.journal.memory import memory_journal
from service.store.journal.ports import Journal
from service.store.journal.values import Entry
from tests.service.store.journal.ports import journal_of_calls
from tests.simulation.banks import LONGEST_PAUSE
from tests.simulation.checker import START_MS
from tests.simulation.kernel import MILLISECOND, SECOND
from tests.simulation.processes import Process

if TYPE_CHECKING:
    from tests.simulation.world import World

PARTITIONS = 4

# Calls without a change. All others are kept, also those of methods yet to come.
READS = frozenset(
    {
        "events.commit_count",
        "events.feed",
        "events.feed_ends",
        "events.head",
        "events.heads",
        "events.matches",
        "events.overviews",
        "events.read",
        "events.tail",
        "events.version_made",
        "index.idle",
        "index.listed_counts",
        "index.listing",
        "index.written",
        "lifecycle.deleted",
        "lifecycle.generation",
        "metadata.dump",
        "metadata.field",
        "metadata.fields",
        "metadata.snapshot",
        "metadata.thoughts",
        "order.decided",
        "order.news",
        "order.settled",
        "order.state",
        "pending.due",
        "pending.totals",
        "server.memory",
        "server.ping",
        "timers.time",
    }
)

# The time, the method (such as events.append), the arguments.
Change = tuple[int, str, tuple[Any, ...], dict[str, Any]]
OnAppend = Callable[[Entry], None]
OnPublish = Callable[[], None]


class Store:
    """The one journal of a run.

    journal: its present content. now: returns the virtual time of its clock. on_append: called
    with each entry after it has become a commit. on_publish: called when the order of the log
    has another checkpoint. down_until: no call is answered before this time.
    """

    def __init__(self, now: Callable[[], int], on_append: OnAppend, on_publish: OnPublish) -> None:
        self.down_until = 0
        self._now = now
        self._time = 0
        self._on_append = on_append
        self._on_publish = on_publish
        self._changes: list[Change] = []
        self.journal = self._new_journal()

    def apply(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Carry out one call. Raises the journal's errors."""
        self._time = self._now()
        result = attrgetter(name)(self.journal)(*arguments, **keywords)
        if name not in READS:
            self._changes.append((self._time, name, arguments, keywords))
        if name == "events.append" and not result.repeated:
            self._on_append(arguments[0])
        if name in ("order.publish", "order.adopt") and result:
            self._on_publish()
        return result

    def apply_unasked(
        self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> None:
        """Carry out one call after its caller has given up."""
        with suppress(JournalError):
            self.apply(name, arguments, keywords)

    def beats(self) -> list[int]:
        """Return the times of looks at clocks by right clocks, in milliseconds."""
        beats = []
        for time, name, arguments, _named in self._changes:
            now = START_MS + time // MILLISECOND
            if name == "timers.beat" and abs(arguments[0] - now) <= LONGEST_PAUSE:
                beats.append(now)
        return beats

    @property
    def change_count(self) -> int:
        """The number of changes made."""
        return len(self._changes)

    def go_back(self, count: int) -> None:
        """Go back to the first so many changes: make them again, each at its own time."""
        del self._changes[count:]
        self.journal = self._new_journal()
        for time, name, arguments, keywords in self._changes:
            self._time = time
            attrgetter(name)(self.journal)(*arguments, **keywords)
        self._time = self._now()

    def _new_journal(self) -> Journal:
        return memory_journal(PARTITIONS, lambda: START_MS + self._time // MILLISECOND)


TIMEOUT = 2 * SECOND  # the patience of a caller
LATEST = 5 * SECOND  # how long after its caller's patience a call may still be carried out
SLOWEST = 4 * SECOND

# Calls adding nothing to a store, and so answered when it is full.
ANSWERED_WHEN_FULL = READS | {
    "index.look_again",
    "lifecycle.delete",
    "order.publish",
    "order.trim",
}


def faulty_journal(world: "World", process: Process) -> Journal:
    """Return the journal as a process reaches it."""
    return journal_of_calls(FaultyCalls(world, process).call)


class FaultyCalls:
    """Any journal's methods. At each call other strands go on, and a fault may happen.

    It knows no method by name: new methods of a port are passed on as they are.
    """

    def __init__(self, world: "World", process: Process) -> None:
        self._world = world
        self._process = process

    def call(self, name: str, *arguments: Any, **keywords: Any) -> Any:
        """Carry a call of a method out, such as events.append, or meet a fault."""
        world = self._world
        fault = world.faults.of_journal_call(name)
        world.kernel.pause(world.travel())

        if world.kernel.now < world.store.down_until:
            self._say(name, arguments, "the journal is down")
            raise JournalUnavailable("the journal is being restarted")
        if fault is None:
            return self._apply(name, arguments, keywords)

        self._say(name, arguments, fault)
        meet_fault = getattr(self, f"_{fault.replace(' ', '_')}")
        return meet_fault(name, arguments, keywords)

    def _apply(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Carry a call out, and let the answer travel."""
        world = self._world
        answer = world.store.apply(name, arguments, keywords)
        if name not in READS:
            self._say(name, arguments, f"done: {_told(answer)}")
            world.kernel.pause(world.travel())
        return answer

    def _refused(self, _name: str, _arguments: tuple[Any, ...], _named: dict[str, Any]) -> Any:
        raise JournalUnavailable("the journal cannot be reached")

    def _answer_lost(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        self._world.store.apply_unasked(name, arguments, keywords)
        self._world.kernel.pause(self._world.travel())
        raise JournalUnavailable("the connection broke before the answer")

    def _late(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        world = self._world
        arrives = world.kernel.now + world.faults.up_to(TIMEOUT + LATEST)
        apply = partial(world.store.apply_unasked, name, arguments, keywords)
        world.kernel.at(arrives, apply)

        world.kernel.pause(TIMEOUT)
        raise JournalUnavailable("the journal did not answer in time")

    def _slow(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Let the call or its answer be on its way for seconds."""
        is_call_slow = self._world.faults.tosses_heads()
        if is_call_slow:
            self._wait_long()
            return self._apply(name, arguments, keywords)

        answer = self._apply(name, arguments, keywords)
        self._wait_long()
        return answer

    def _wait_long(self) -> None:
        world = self._world
        world.kernel.pause(world.faults.up_to(SLOWEST))

    def _full(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if name in ANSWERED_WHEN_FULL:
            return self._apply(name, arguments, keywords)
        raise JournalFull("the journal has no memory left")

    def _crash(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Let the caller's process die before the call, or after it and before the answer."""
        world = self._world
        if world.faults.tosses_heads():
            world.store.apply_unasked(name, arguments, keywords)
        world.kernel.at(world.kernel.now, self._process.crash)
        world.kernel.pause(SECOND)
        raise AssertionError("a crashed process has gone on")

    def _say(self, name: str, arguments: tuple[Any, ...], what: str) -> None:
        world = self._world
        subject = _subject(world, arguments)
        line = f"{self._process.name}: journal.{name}({subject}): {what}"
        world.say(line)


def _subject(world: "World", arguments: tuple[Any, ...]) -> str:
    """Return the subject of a call, in a few words."""
    if not arguments:
        return ""
    first = arguments[0]
    if isinstance(first, str):
        return world.trace.name(first) if is_match_id(first) else first
    if hasattr(first, "commit_bytes"):
        version = first.expected + 1
        return f"{world.trace.name(first.match)} v{version} {first.head.hash[:8]}"
    return ""


def _told(answer: Any) -> str:
    """Return an answer in a few words."""
    if hasattr(answer, "repeated"):
        again = ", as before" if answer.repeated else ""
        return f"v{answer.version}{again}"
    return "" if answer is None else str(answer)


def travel_time(draw: float) -> int:
    """Return the travel time of a message, from a number from 0 to 1: mostly short."""
    return int(MILLISECOND * (0.1 + 3 * draw * draw * draw))
