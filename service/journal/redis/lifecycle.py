"""The commits of ended matches leave for the archive, and come back."""

from collections.abc import Iterator, Mapping, Sequence

from service.journal.encoding import (
    packed_epoch,
    packed_marker,
    packed_thoughts,
    packed_tombstone,
    read_epoch,
    read_feed_line,
    read_head,
    read_marker,
    read_tombstone,
)
from service.journal.errors import Conflict, Deleted
from service.journal.keys import EPOCH, HEAD, TOMBSTONE
from service.journal.redis import store as redis_store
from service.journal.redis.connection import retries_once, translates_errors
from service.journal.redis.store import Store
from service.journal.values import Epoch, FeedEnds, Last, Line, Marker, Tombstone, Whole

# §§§ service.journal.redis.lifecycle


_SCANNED = 500  # markers read in one round trip


@translates_errors
def archive(store: Store, match_id: str, marker: Marker, last: Last) -> None:
    """Let the commits of a match go with one script, and keep a marker instead."""
    done = redis_store.write(
        store,
        store.scripts.archive,
        store.keys.of_archiving(match_id),
        [match_id, packed_marker(marker), marker.commits, last.ids, last.hash],
    )
    if not done:
        raise _conflict(store, match_id)


@translates_errors
def unarchive(store: Store, match_id: str, marker: Marker, whole: Whole) -> None:
    """Put commits, command ids and thoughts back with one script."""
    made: list[str] = []
    for command_id, (version, fingerprint) in whole.ids.items():
        made += (command_id, f"{version}:{fingerprint}")

    done = redis_store.write(
        store,
        store.scripts.unarchive,
        store.keys.of_archiving(match_id),
        [
            match_id,
            packed_marker(marker),
            len(whole.commits),
            packed_thoughts(whole.thoughts),
            *whole.commits,
            *made,
        ],
    )
    if not done:
        raise _conflict(store, match_id)


@retries_once
def archived(store: Store, match_id: str) -> Marker | None:
    """Return the marker of an archived match."""
    return read_marker(store.client.hget(store.keys.of_archived(match_id), match_id))


def all_archived(store: Store) -> Iterator[tuple[str, Marker]]:
    """Yield every archived match with its marker, partition by partition."""
    for key in store.keys.archived:
        # A scan may tell a field twice.
        found: dict[str, Marker] = {}
        cursor = -1
        while cursor != 0:
            cursor, fields = _scan(store, key, max(cursor, 0))
            for match, packed in fields.items():
                marker = read_marker(packed)
                assert marker is not None, "a field of a hash has a value"
                found[match.decode()] = marker

        yield from found.items()


@retries_once
def _scan(store: Store, key: str, cursor: int) -> tuple[int, dict[bytes, bytes]]:
    """Return the next cursor, 0 at the end, and some fields of a hash."""
    next_cursor, fields = store.client.hscan(key, cursor, count=_SCANNED)
    return next_cursor, fields


def _conflict(store: Store, match_id: str) -> Conflict:
    head = read_head(store.client.get(store.keys.of(match_id, HEAD)))
    return Conflict(head.version if head else 0)


# §§§ service.journal.redis.lifecycle
# Matches are deleted, and their ids kept from being used again.


_UNKNOWN_MATCH = 0
_DELETED_BEFORE = -1


@translates_errors
def delete(store: Store, match_id: str, tombstone: Tombstone) -> Marker | None:
    """Delete all that is kept of a match but its tombstone; return the marker it had."""
    answer = redis_store.write(
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
    answer = redis_store.write(
        store,
        store.scripts.tombstone,
        store.keys.of_tombstone(match_id),
        [packed_tombstone(tombstone), match_id],
    )
    return bool(answer)


# §§§ service.journal.redis.lifecycle
# The journal's epoch, and the ends of its feeds: by both it shows that a journal has gone back.


@retries_once
def epoch(store: Store) -> Epoch | None:
    """Return the epoch of the journal."""
    return read_epoch(store.client.get(EPOCH))


@retries_once
def replace_epoch(store: Store, old: Epoch | None, new: Epoch) -> bool:
    """Write a new epoch in the place of the old one; return whether that was still there."""
    packed_old = packed_epoch(old) if old else b""
    return bool(store.scripts.epoch(keys=[EPOCH], args=[packed_old, packed_epoch(new)]))


@retries_once
def feed_ends(store: Store, noted: Mapping[int, Line]) -> FeedEnds:
    """Return the last line of each feed, and which of the noted lines are not there."""
    feeds = store.keys.feed
    looked_for: list[str] = []
    for number, (entry_id, _match, _version) in noted.items():
        looked_for += (feeds[number], entry_id)

    answers = store.ask_partitions(store.scripts.ends, feeds, looked_for)
    numbers = {key.encode(): number for number, key in enumerate(feeds)}
    last: dict[int, Line] = {}
    found: dict[int, Line] = {}
    for last_of_server, found_of_server in answers:
        last |= _lines(last_of_server, numbers)
        found |= _lines(found_of_server, numbers)

    missing = [number for number, line in noted.items() if found.get(number) != line]
    return FeedEnds(last, frozenset(missing))


def _lines(texts: Sequence[bytes], numbers: Mapping[bytes, int]) -> dict[int, Line]:
    """Return lines by their partition, as ends.lua lists them."""
    lines: dict[int, Line] = {}
    for key, entry_id, line in zip(texts[::3], texts[1::3], texts[2::3], strict=True):
        lines[numbers[key]] = (entry_id.decode(), *read_feed_line(line))
    return lines
