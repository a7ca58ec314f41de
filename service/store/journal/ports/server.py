"""Settings, memory and state of the store itself."""

from typing import Protocol

from service.store.journal import values


class ServerPort(Protocol):
    """The store itself: its settings, its memory, and whether it can be written."""

    def check(self) -> list[str]:
        """Return what is unsafe about the store's configuration, a sentence each.

        Raises JournalUnusable if the store cannot hold a journal, whatever its configuration, or
        if a later release has written it.
        """
        ...

    def upgrade(self) -> int:
        """Add to a journal of an earlier release what it lacks; return how many matches it has.

        It is done once for each journal, and then returns 0. Doing it again, or while others
        append, does no harm.
        """
        ...

    def ping(self) -> None:
        """Raise JournalUnavailable if the store cannot be written."""
        ...

    def memory(self) -> values.Memory:
        """Return how much memory the store has in use, and its bound."""
        ...
