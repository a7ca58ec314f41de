"""The commits of ended matches leave for the archive, and come back."""

from collections.abc import Iterator

from service.journal.errors import Conflict
from service.journal.keys import HEAD
from service.journal.packing import packed_marker, packed_thoughts, read_head, read_marker
from service.journal.redis import confirming
from service.journal.redis.connection import retries_once, translates_errors
from service.journal.redis.store import Store
from service.journal.values import Last, Marker, Whole

_SCANNED = 500  # markers read in one round trip


@translates_errors
def archive(store: Store, match_id: str, marker: Marker, last: Last) -> None:
    """Let the commits of a match go with one script, and keep a marker instead."""
    done = confirming.write(
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

    done = confirming.write(
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
