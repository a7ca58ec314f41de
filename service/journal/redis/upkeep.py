"""The server itself: its settings, its memory, and journals of earlier releases."""

import itertools
from collections.abc import Sequence

from redis.exceptions import ResponseError

from service.journal.keys import HEADS, LAYOUT, PARTITIONS, PROBE, beside_head
from service.journal.redis.connection import retries_once
from service.journal.redis.store import Store
from service.journal.values import Memory

_LAYOUT = 2  # of the keys: 1 had no index of the games and none of idle matches
_SCANNED = 1000  # heads looked at in one round trip of an upgrade

# Each setting with its safe value, and what any other value leads to.
_SETTINGS = {
    "appendonly": ("yes", "the append-only file is off, so a restart loses matches"),
    "appendfsync": (
        "always",
        "the append-only file is not synced at every write, so a crash loses accepted moves",
    ),
    "maxmemory-policy": (
        "noeviction",
        "Redis may evict keys when its memory is full, which destroys matches",
    ),
}


@retries_once
def check(store: Store) -> list[str]:
    """Return what is unsafe about the configuration, a sentence each."""
    return [*_unsafe_settings(store), *_other_partitions(store)]


def _unsafe_settings(store: Store) -> list[str]:
    try:
        found = store.client.config_get(*_SETTINGS)
    except ResponseError as error:
        names = ", ".join(_SETTINGS)
        return [f"The settings {names} of Redis could not be checked: {error}."]

    complaints = []
    for name, (safe, danger) in _SETTINGS.items():
        value = found.get(name)
        if value != safe:
            complaints.append(
                f"Redis has {name} {value}: {danger}. "
                f"Write '{name} {safe}' into its configuration file, "
                f"and mend it until the next start with: CONFIG SET {name} {safe}"
            )
    return complaints


def _other_partitions(store: Store) -> list[str]:
    """Return a complaint if the journal was begun with another number of partitions.

    With another number every match would be looked for in another place.
    """
    partitions = store.keys.partitions
    # It is looked for first, since a full server refuses even a write that does nothing.
    if not store.client.exists(PARTITIONS):
        store.client.set(PARTITIONS, partitions, nx=True)

    stored = int(store.client.get(PARTITIONS))
    if stored == partitions:
        return []
    opened = f"is opened with {partitions}: use {stored}."
    return [f"The journal was begun with {stored} partitions and {opened}"]


@retries_once
def upgrade(store: Store) -> int:
    """Put every match into the indexes that the first release did not have; return how many."""
    layout = int(store.client.get(LAYOUT) or 1)
    if layout >= _LAYOUT:
        return 0

    looked_at = 0
    heads = store.client.scan_iter(match=HEADS, count=_SCANNED)
    while batch := list(itertools.islice(heads, _SCANNED)):
        _index(store, batch)
        looked_at += len(batch)

    store.client.set(LAYOUT, _LAYOUT)
    return looked_at


def _index(store: Store, heads: Sequence[bytes]) -> None:
    """Put the matches of some keys of heads into the indexes, in one round trip."""
    with store.pipeline() as pipeline:
        for head in heads:
            match, keys = beside_head(head.decode())
            store.scripts.index(keys=keys, args=[match], client=pipeline)

        pipeline.execute()


@retries_once
def memory(store: Store) -> Memory:
    """Return how much memory Redis has in use, and its bound."""
    info = store.client.info("memory")
    return Memory(used=int(info.get("used_memory", 0)), bound=int(info.get("maxmemory", 0)))


@retries_once
def ping(store: Store) -> None:
    """Write a key that nothing reads."""
    store.client.set(PROBE, 1)
