"""Settings, memory and state of the store itself."""

from typing import Protocol

from service.store.journal import values


class ServerPort(Protocol):
    """The store itself: its settings, its memory and its readiness for writes."""

    def check(self) -> list[str]:
        """Return the faults of the store's configuration, a sentence each.

        Raises JournalUnusable if the store cannot hold a journal, whatever its configuration, or
        if a later release has written it.
        """
        ...

    def upgrade(self) -> int:
        """Upgrade the journal of an earlier release. Return the number of its matches.

        It is done once for each journal, and then returns 0. It is safe to do twice, and while
        others append.
        """
        ...

    def ping(self) -> None:
        """Raise JournalUnavailable if the store cannot be written."""
        ...

    def memory(self) -> values.Memory:
        """Return the memory of the store in use, and its bound."""
        ...
