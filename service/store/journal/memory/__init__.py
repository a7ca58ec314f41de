"""The journal in memory: the same eight ports over dictionaries behind one lock.

Tests, benchmarks and the arena of bots use it. `service.store.journal.ports` documents each method.
Nothing outlives the process.
"""

import time
from collections.abc import Callable

from service.store.journal.memory.events import MemoryEvents
from service.store.journal.memory.index import MemoryIndex
from service.store.journal.memory.lifecycle import MemoryLifecycle
from service.store.journal.memory.metadata import MemoryMetadata
from service.store.journal.memory.order import MemoryOrder
from service.store.journal.memory.pending import MemoryPending
from service.store.journal.memory.server import MemoryServer
from service.store.journal.memory.store import MemoryStore
from service.store.journal.memory.timers import MemoryTimers
from service.store.journal.ports import Journal

__all__ = ["journal_over", "memory_journal"]


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


def memory_journal(partitions: int = 256, clock: Callable[[], int] = _milliseconds) -> Journal:
    """Return an empty journal. `clock` returns milliseconds, as the clock of a server would."""
    return journal_over(MemoryStore(partitions, clock))


def journal_over(store: MemoryStore) -> Journal:
    """Return the journal in a store."""
    return Journal(
        events=MemoryEvents(store),
        index=MemoryIndex(store),
        pending=MemoryPending(store),
        timers=MemoryTimers(store),
        metadata=MemoryMetadata(store),
        lifecycle=MemoryLifecycle(store),
        order=MemoryOrder(store),
        server=MemoryServer(),
    )
