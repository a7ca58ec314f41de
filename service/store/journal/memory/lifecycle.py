"""Tombstones, markers of archived matches, and the generation."""

from collections.abc import Iterator

from service.store.journal import values
from service.store.journal.errors import Deleted
from service.store.journal.memory.store import MemoryPort


class MemoryLifecycle(MemoryPort):
    """Tombstones, markers of archived matches, and the generation."""

    def delete(self, match_id: str, tombstone: values.Tombstone) -> values.Marker | None:
        """Delete a match and store its tombstone."""
        store = self._store
        with self._lock:
            if match_id in store.deleted:
                raise Deleted
            marker = store.known(match_id).marker

            store.deleted[match_id] = tombstone
            del store.matches[match_id]
            store.idle.pop(match_id, None)
            store.waits.pop(match_id, None)
            for kind in values.TIMER_KINDS:
                store.timers.pop((kind, match_id), None)
            return marker

    def deleted(self, match_id: str) -> values.Tombstone | None:
        """Return the tombstone of a deleted match."""
        return self._store.deleted.get(match_id)

    def put_tombstone(self, match_id: str, tombstone: values.Tombstone) -> bool:
        """Store a tombstone for an unknown match."""
        store = self._store
        with self._lock:
            if match_id in store.matches or match_id in store.deleted:
                return False

            store.deleted[match_id] = tombstone
            store.add_to_feed(match_id, 1)
            return True

    def archive(self, match_id: str, marker: values.Marker, last: values.Last) -> None:
        """Replace the commits of a match by a marker."""
        with self._lock:
            self._store.known(match_id).archive(marker, last)
            self._store.idle.pop(match_id, None)

    def unarchive(self, match_id: str, marker: values.Marker, whole: values.Whole) -> None:
        """Put the commits of an archived match back."""
        with self._lock:
            self._store.known(match_id).unarchive(marker, whole)

    def archived(self, match_id: str) -> values.Marker | None:
        """Return the marker of an archived match."""
        with self._lock:
            match = self._store.get(match_id)
            return match.marker if match else None

    def all_archived(self) -> Iterator[tuple[str, values.FoundMarker]]:
        """Yield every archived match with its marker."""
        with self._lock:
            markers = [(name, match.marker) for name, match in self._store.matches.items()]
        for name, marker in markers:
            if marker is not None:
                yield name, marker

    def generation(self) -> values.Generation | None:
        """Return the generation of the journal."""
        return self._store.generation

    def replace_generation(self, old: values.Generation | None, new: values.Generation) -> bool:
        """Replace the old generation by a new one."""
        with self._lock:
            is_there = self._store.generation == old
            if is_there:
                self._store.generation = new
            return is_there
