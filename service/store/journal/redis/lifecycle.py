"""Matches deleted, archived and unarchived, and the generation of the journal."""

from collections.abc import Iterator

from service.store.journal import encoding
from service.store.journal.errors import Conflict, Deleted
from service.store.journal.keys import GENERATION, HEAD, TOMBSTONE
from service.store.journal.redis.connection import (
    retries_if_not_landed,
    retries_once,
    translates_errors,
)
from service.store.journal.redis.store import RedisPort, Request
from service.store.journal.values import (
    TIMER_KINDS,
    FoundMarker,
    Generation,
    Last,
    Marker,
    Tombstone,
    Whole,
)

_UNKNOWN_MATCH = 0
_DELETED_BEFORE = -1
_SCANNED = 500  # markers read in one round trip


class RedisLifecycle(RedisPort):
    """Tombstones, markers of archived matches, and the generation."""

    @translates_errors
    def delete(self, match_id: str, tombstone: Tombstone) -> Marker | None:
        """Delete a match and store its tombstone. Return its marker, if it had one."""
        store = self._store
        command = store.scripts.delete.on(
            store.keys.of_deletion(match_id),
            [
                encoding.packed_tombstone(tombstone),
                match_id,
                store.keys.channel(match_id),
                *TIMER_KINDS,
            ],
        )
        [answer] = store.send(Request([command], "write"))

        if answer == _UNKNOWN_MATCH:
            raise Conflict(0)
        if answer == _DELETED_BEFORE:
            raise Deleted
        marker = encoding.found_marker(match_id, answer) if isinstance(answer, bytes) else None
        # A file without a readable marker is a leftover of the archive.
        return marker if isinstance(marker, Marker) else None

    @retries_once
    def deleted(self, match_id: str) -> Tombstone | None:
        """Return the tombstone of a deleted match."""
        [packed] = self._store.send(Request([("GET", self._keys.of(match_id, TOMBSTONE))]))
        return encoding.read_tombstone(match_id, packed)

    @translates_errors
    def put_tombstone(self, match_id: str, tombstone: Tombstone) -> bool:
        """Store a tombstone for an unknown match. Return True if it was unknown."""
        store = self._store
        command = store.scripts.tombstone.on(
            store.keys.of_tombstone(match_id), [encoding.packed_tombstone(tombstone), match_id]
        )
        [answer] = store.send(Request([command], "write"))
        return bool(answer)

    @translates_errors
    def archive(self, match_id: str, marker: Marker, last: Last) -> None:
        """Replace the commits of a match by a marker with one script."""
        store = self._store
        command = store.scripts.archive.on(
            store.keys.of_archiving(match_id),
            [match_id, encoding.packed_marker(marker), marker.commits, last.ids, last.hash],
        )
        [is_archived] = store.send(Request([command], "write"))
        if not is_archived:
            raise self._conflict(match_id)

    @translates_errors
    def unarchive(self, match_id: str, marker: Marker, whole: Whole) -> None:
        """Put commits, command ids and thoughts back with one script."""
        ids: list[str] = []
        for command_id, (version, fingerprint) in whole.ids.items():
            ids += (command_id, f"{version}:{fingerprint}")

        store = self._store
        command = store.scripts.unarchive.on(
            store.keys.of_archiving(match_id),
            [
                match_id,
                encoding.packed_marker(marker),
                len(whole.commits),
                encoding.packed_thoughts(whole.thoughts),
                *whole.commits,
                *ids,
            ],
        )
        [is_restored] = store.send(Request([command], "write"))
        if not is_restored:
            raise self._conflict(match_id)

    def _conflict(self, match_id: str) -> Conflict:
        head = encoding.read_head(match_id, self._store.client.get(self._keys.of(match_id, HEAD)))
        return Conflict(head.version if head else 0)

    @retries_once
    def archived(self, match_id: str) -> Marker | None:
        """Return the marker of an archived match."""
        packed = self._store.client.hget(self._keys.of_archived(match_id), match_id)
        return encoding.read_marker(match_id, packed)

    def all_archived(self) -> Iterator[tuple[str, FoundMarker]]:
        """Yield every archived match with its marker, partition by partition."""
        for key in self._keys.archived:
            # A scan may yield a field twice.
            markers: dict[str, FoundMarker] = {}
            cursor = -1
            while cursor != 0:
                cursor, fields = self._scan(key, max(cursor, 0))
                for name, packed in fields.items():
                    match = name.decode(errors="replace")
                    markers[match] = encoding.found_marker(match, packed)

            yield from markers.items()

    @retries_once
    def _scan(self, key: str, cursor: int) -> tuple[int, dict[bytes, bytes]]:
        """Return the next cursor, 0 at the end, and some fields of a hash."""
        next_cursor, fields = self._store.client.hscan(key, cursor, count=_SCANNED)
        return next_cursor, fields

    @retries_once
    def generation(self) -> Generation | None:
        """Return the generation of the journal."""
        return encoding.read_generation(self._store.client.get(GENERATION))

    def _has_generation(self, old: Generation | None, new: Generation) -> bool:  # noqa: ARG002
        """Return True if the journal has the new generation."""
        stored: bytes | None = self._store.client.get(GENERATION)
        return stored == encoding.packed_generation(new)

    @retries_if_not_landed(_has_generation)
    def replace_generation(self, old: Generation | None, new: Generation) -> bool:
        """Replace the old generation by a new one. Return True if the journal had the old one."""
        packed_old = encoding.packed_generation(old) if old else b""
        script = self._store.scripts.generation
        return bool(script(keys=[GENERATION], args=[packed_old, encoding.packed_generation(new)]))
