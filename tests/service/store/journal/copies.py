"""Journals that go back: a copy of all that a store holds, and the copy put back."""

import copy
from typing import Any

from service.store.journal.memory.store import MemoryStore
from service.store.journal.ports import Journal

Copy = dict[Any, Any]


def copy_of_server(client: Any) -> Copy:
    """Return all keys of a Redis server with what they hold."""
    return {key: client.dump(key) for key in client.scan_iter()}


def put_back_on_server(client: Any, kept: Copy) -> None:
    """Let a server hold exactly what it held, at once, as when an older backup is put back."""
    with client.pipeline(transaction=True) as transaction:
        transaction.flushall()
        for key, content in kept.items():
            transaction.restore(key, 0, content)
        transaction.execute()


def copy_of_memory(journal: Journal) -> Copy:
    """Return what a journal in memory holds."""
    held = vars(store_of(journal))
    return {name: copy.deepcopy(value) for name, value in held.items() if name != "lock"}


def put_back_in_memory(journal: Journal, kept: Copy) -> None:
    """Let a journal in memory hold exactly what it held."""
    for name, value in kept.items():
        setattr(store_of(journal), name, copy.deepcopy(value))


def store_of(journal: Journal) -> MemoryStore:
    """Return the store of a journal in memory."""
    lifecycle: Any = journal.lifecycle
    store: MemoryStore = lifecycle._store
    return store
