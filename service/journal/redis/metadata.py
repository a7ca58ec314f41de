"""What is kept of a match beside its commits: sidecar, thoughts, snapshot, and all at once."""

from collections.abc import Mapping
from contextlib import suppress

from redis.exceptions import WatchError

from service.journal.encoding import (
    read_head,
    read_made,
    read_thoughts,
    read_tombstone,
    split_changes,
    text_or_none,
    texts,
)
from service.journal.errors import Conflict
from service.journal.keys import COMMITS, HEAD, SIDECAR, SNAPSHOT, THOUGHTS
from service.journal.redis import store as redis_store
from service.journal.redis.connection import retries_once
from service.journal.redis.store import Store
from service.journal.values import Metadata

_UNKNOWN_MATCH = 0
_CHANGED = 1


@retries_once
def sidecar_field(store: Store, match_id: str, field: str) -> str | None:
    """Return one field of a sidecar."""
    return text_or_none(store.client.hget(store.keys.of(match_id, SIDECAR), field))


@retries_once
def sidecar(store: Store, match_id: str) -> dict[str, str]:
    """Return a whole sidecar."""
    return texts(store.client.hgetall(store.keys.of(match_id, SIDECAR)))


@retries_once
def put_sidecar(
    store: Store, match_id: str, fields: Mapping[str, str | None], holds: tuple[str, str]
) -> bool:
    """Change a sidecar with one script; return whether a field held what it must hold."""
    keys = [store.keys.of(match_id, HEAD), store.keys.of(match_id, SIDECAR)]
    changes = split_changes(fields)
    arguments: list[str | int] = [*holds, len(changes.put), *changes.put, *changes.drop]

    answer = redis_store.write(store, store.scripts.sidecar, keys, arguments)

    if answer == _UNKNOWN_MATCH:
        raise Conflict(0)
    return bool(answer == _CHANGED)


@retries_once
def put_sidecar_if_missing(store: Store, match_id: str, field: str, value: str) -> None:
    """Set a field of a sidecar unless it is there.

    The head is watched: whoever deletes the match meanwhile makes the transaction void.
    """
    head = store.keys.of(match_id, HEAD)
    with store.transaction(head) as transaction, suppress(WatchError):
        transaction.watch(head)
        if transaction.exists(head):
            transaction.multi()
            transaction.hsetnx(store.keys.of(match_id, SIDECAR), field, value)
            transaction.execute()


@retries_once
def metadata(store: Store, match_id: str) -> Metadata:
    """Return head, command ids, sidecar, tombstone and thoughts, read in one transaction."""
    keys = store.keys.of_metadata(match_id)
    head_key, ids_key, sidecar_key, tombstone_key, thoughts_key = keys
    with store.transaction(head_key) as transaction:
        transaction.get(head_key)
        transaction.hgetall(ids_key)
        transaction.hgetall(sidecar_key)
        transaction.get(tombstone_key)
        transaction.get(thoughts_key)
        packed_head, packed_ids, fields, packed_tombstone, thoughts = transaction.execute()

    ids = {command_id: read_made(packed) for command_id, packed in texts(packed_ids).items()}
    return Metadata(
        head=read_head(packed_head),
        ids=ids,
        sidecar=texts(fields),
        tombstone=read_tombstone(packed_tombstone),
        thoughts=read_thoughts(thoughts),
    )


@retries_once
def thoughts(store: Store, match_id: str) -> list[bytes]:
    """Return what bots have thought in a match."""
    return read_thoughts(store.client.get(store.keys.of(match_id, THOUGHTS)))


@retries_once
def snapshot(store: Store, match_id: str) -> bytes | None:
    """Return the stored snapshot."""
    stored: bytes | None = store.client.get(store.keys.of(match_id, SNAPSHOT))
    return stored


@retries_once
def put_snapshot(store: Store, match_id: str, data: bytes) -> None:
    """Store a snapshot of a known match."""
    parts = (HEAD, SNAPSHOT, COMMITS)
    keys = [store.keys.of(match_id, part) for part in parts]
    store.scripts.snapshot(keys=keys, args=[data])
