"""The journal's server: it keeps all changes in their order, so that it can go back.

It is `service.journal.memory` inside. Processes reach it through `tests.simulation.port`.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from service.journal.errors import JournalError
from service.journal.memory import MemoryJournal
from service.journal.values import Entry
from tests.simulation.kernel import MILLISECOND

PARTITIONS = 4

# Calls that change nothing. All others are kept, also those of methods yet to come.
READS = frozenset(
    {
        "commit_count",
        "deleted",
        "epoch",
        "feed",
        "feed_ends",
        "head",
        "heads",
        "idle",
        "listed_counts",
        "listing",
        "matches",
        "memory",
        "metadata",
        "overviews",
        "pending",
        "pending_totals",
        "ping",
        "read",
        "sidecar",
        "sidecar_field",
        "snapshot",
        "tail",
        "thoughts",
        "version_made",
        "written",
    }
)

# When, which method, with what.
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
        result = getattr(self.journal, name)(*arguments, **named)
        if name not in READS:
            self._changes.append((self._time, name, arguments, named))
        if name == "append" and not result.repeated:
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
            getattr(self.journal, name)(*arguments, **named)
        self._time = self._now()

    def _new_journal(self) -> MemoryJournal:
        return MemoryJournal(PARTITIONS, lambda: self._time // MILLISECOND)
