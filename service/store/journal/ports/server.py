"""Settings, memory and state of the store itself."""

from typing import Protocol

from service.store.journal import values


class ServerPort(Protocol):
    """The store itself: its settings, its memory and its readiness for writes."""

    def check(self) -> list[str]:
        """Return the faults of the store's configuration, a text each.

        Raises JournalUnusable if no configuration lets the store hold a journal, if a later
        release has written it, or if it has another number of partitions.
        """
        ...

    def upgrade(self) -> int:
        """Upgrade the journal of an earlier release. Return the number of its matches.

        Once the work is done, calls return 0. A call is safe to repeat, and safe while other
        processes append.
        """
        ...

    def ping(self) -> None:
        """Raise JournalUnavailable if the store cannot be written."""
        ...

    def memory(self) -> values.Memory:
        """Return the memory of the store in use, and its bound."""
        ...
