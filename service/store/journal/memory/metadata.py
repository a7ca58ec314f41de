"""Fields, thoughts and snapshots."""

from collections.abc import Mapping

from service.store.journal import values
from service.store.journal.memory.store import MemoryPort


class MemoryMetadata(MemoryPort):
    """Fields, thoughts and snapshots."""

    def field(self, match_id: str, field: str) -> str | None:
        """Return one field of a match's metadata."""
        return self.fields(match_id).get(field)

    def fields(self, match_id: str) -> dict[str, str]:
        """Return all fields of a match's metadata."""
        with self._lock:
            match = self._store.get(match_id)
            return dict(match.fields) if match else {}

    def put(
        self,
        match_id: str,
        fields: Mapping[str, str | None],
        precondition: tuple[str, str] = ("", ""),
    ) -> bool:
        """Set fields outside any commit."""
        name, value = precondition

        with self._lock:
            match = self._store.known(match_id)
            if name and match.fields.get(name, "") != value:
                return False

            match.change(fields)
            return True

    def put_if_missing(self, match_id: str, field: str, value: str) -> None:
        """Set a missing field outside any commit."""
        with self._lock:
            match = self._store.get(match_id)
            if match is not None:
                match.fields.setdefault(field, value)

    def thoughts(self, match_id: str) -> list[bytes]:
        """Return the thoughts of bots in a match."""
        with self._lock:
            match = self._store.get(match_id)
            return list(match.thoughts) if match else []

    def snapshot(self, match_id: str) -> bytes | None:
        """Return the stored snapshot of a match."""
        with self._lock:
            match = self._store.get(match_id)
            return match.snapshot if match else None

    def put_snapshot(self, match_id: str, data: bytes) -> None:
        """Store a snapshot of a known match."""
        with self._lock:
            match = self._store.get(match_id)
            if match is not None and match.commits:
                match.snapshot = data

    def dump(self, match_id: str) -> values.Metadata:
        """Return the data of a match beside its commits."""
        with self._lock:
            match = self._store.get(match_id)
            if match is None:
                tombstone = self._store.deleted.get(match_id)
                return values.Metadata(head=None, ids={}, fields={}, tombstone=tombstone)
            return values.Metadata(
                head=match.head,
                ids=dict(match.ids),
                fields=dict(match.fields),
                tombstone=None,
                thoughts=list(match.thoughts),
            )
