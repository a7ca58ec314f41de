"""Journals that go back: a copy of a whole store, and the copy put back."""

import copy
from typing import Any

from service.store.journal.memory.store import MemoryStore
from service.store.journal.ports import Journal

Copy = dict[Any, Any]


def copy_of_server(client: Any) -> Copy:
    """Return all keys of a Redis server with their values."""
    return {key: client.dump(key) for key in client.scan_iter()}


def put_back_on_server(client: Any, backup: Copy) -> None:
    """Let a server hold exactly the content of a copy, at once, like a restore of an older one."""
    with client.pipeline(transaction=True) as transaction:
        transaction.flushall()
        for key, content in backup.items():
            transaction.restore(key, 0, content)
        transaction.execute()


def copy_of_memory(journal: Journal) -> Copy:
    """Return the content of a journal in memory."""
    attributes = vars(store_of(journal))
    return {name: copy.deepcopy(value) for name, value in attributes.items() if name != "lock"}


def put_back_in_memory(journal: Journal, backup: Copy) -> None:
    """Let a journal in memory hold exactly the content of a copy."""
    for name, value in backup.items():
        setattr(store_of(journal), name, copy.deepcopy(value))


def store_of(journal: Journal) -> MemoryStore:
    """Return the store of a journal in memory."""
    lifecycle: Any = journal.lifecycle
    store: MemoryStore = lifecycle._store
    return store
