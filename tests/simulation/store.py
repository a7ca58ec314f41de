"""The journal's server: it keeps all changes in their order, so that it can go back.

It is `service.journal.memory` inside. Processes reach it through `tests.simulation.port`.
"""

from collections.abc import Callable
from contextlib import suppress
from operator import attrgetter
from typing import Any

from service.journal.errors import JournalError
from service.journal.memory import memory_journal
from service.journal.port import Journal
from service.journal.values import Entry
from tests.simulation.kernel import MILLISECOND

PARTITIONS = 4

# Calls that change nothing. All others are kept, also those of methods yet to come.
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
        "pending.due",
        "pending.totals",
        "server.memory",
        "server.ping",
    }
)

# When, which method (such as events.append), with what.
Change = tuple[int, str, tuple[Any, ...], dict[str, Any]]
OnAppend = Callable[[Entry], None]


class Store:
    """The one journal of a run.

    journal: what it holds now.   now: returns the virtual time, which its clock tells.
    on_append: called with each entry that has become a commit.
    down_until: no call is answered before this time.
    """

    def __init__(self, now: Callable[[], int], on_append: OnAppend) -> None:
        self.down_until = 0
        self._now = now
        self._time = 0
        self._on_append = on_append
        self._changes: list[Change] = []
        self.journal = self._new_journal()

    def apply(self, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Carry out one call; raises what the journal raises."""
        self._time = self._now()
        result = attrgetter(name)(self.journal)(*arguments, **named)
        if name not in READS:
            self._changes.append((self._time, name, arguments, named))
        if name == "events.append" and not result.repeated:
            self._on_append(arguments[0])
        return result

    def apply_unasked(self, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Carry out one call whose caller waits no longer."""
        with suppress(JournalError):
            self.apply(name, arguments, named)

    @property
    def change_count(self) -> int:
        """The number of changes made."""
        return len(self._changes)

    def go_back(self, kept: int) -> None:
        """Be again as after the first so many changes, each made anew at its own time."""
        del self._changes[kept:]
        self.journal = self._new_journal()
        for time, name, arguments, named in self._changes:
            self._time = time
            attrgetter(name)(self.journal)(*arguments, **named)
        self._time = self._now()

    def _new_journal(self) -> Journal:
        return memory_journal(PARTITIONS, lambda: self._time // MILLISECOND)
