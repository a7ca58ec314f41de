"""Matches are deleted, and their ids kept from being used again."""

from service.journal.errors import Conflict, Deleted
from service.journal.keys import TOMBSTONE
from service.journal.packing import packed_tombstone, read_marker, read_tombstone
from service.journal.redis import confirming
from service.journal.redis.connection import retries_once, translates_errors
from service.journal.redis.store import Store
from service.journal.values import Marker, Tombstone

_UNKNOWN_MATCH = 0
_DELETED_BEFORE = -1


@translates_errors
def delete(store: Store, match_id: str, tombstone: Tombstone) -> Marker | None:
    """Delete all that is kept of a match but its tombstone; return the marker it had."""
    answer = confirming.write(
        store,
        store.scripts.delete,
        store.keys.of_deletion(match_id),
        [packed_tombstone(tombstone), match_id, store.keys.wake_channel(match_id)],
    )

    if answer == _UNKNOWN_MATCH:
        raise Conflict(0)
    if answer == _DELETED_BEFORE:
        raise Deleted
    return read_marker(answer) if isinstance(answer, bytes) else None


@retries_once
def deleted(store: Store, match_id: str) -> Tombstone | None:
    """Return the tombstone of a deleted match."""
    [packed] = store.ask(("GET", store.keys.of(match_id, TOMBSTONE)))
    return read_tombstone(packed)


@translates_errors
def put_tombstone(store: Store, match_id: str, tombstone: Tombstone) -> bool:
    """Store a tombstone for an unknown match; return whether that was done."""
    answer = confirming.write(
        store,
        store.scripts.tombstone,
        store.keys.of_tombstone(match_id),
        [packed_tombstone(tombstone), match_id],
    )
    return bool(answer)
