"""Matches that are deleted or archived, and the generation of the journal."""

from collections.abc import Iterator
from typing import Protocol

from service.store.journal import values


class LifecyclePort(Protocol):
    """Matches that are deleted or archived, and the generation of the whole journal."""

    def delete(self, match_id: str, tombstone: values.Tombstone) -> values.Marker | None:
        """Delete all that is kept of a match but its tombstone; its id is never used again.

        Return the marker of an archived match, whose file is the caller's to remove. Raises
        Conflict for an unknown match, Deleted for one that was deleted before.
        """
        ...

    def deleted(self, match_id: str) -> values.Tombstone | None:
        """Return the tombstone of a deleted match, None for any other."""
        ...

    def put_tombstone(self, match_id: str, tombstone: values.Tombstone) -> bool:
        """Store a tombstone for an unknown match, so that its id is never used.

        Return whether that was done: a match that is there, or was deleted, stays as it is.
        """
        ...

    def archive(self, match_id: str, marker: values.Marker, last: values.Last) -> None:
        """Let commits, command ids, thoughts and snapshot go, and keep a marker instead.

        last: what the match must end with. Head, metadata, listing and feed stay; `read`, `tail`,
        `thoughts` and `version_made` find nothing any more, and nothing is appended. Raises
        Conflict if the match is not final, ends with something else, or is archived already.
        """
        ...

    def unarchive(self, match_id: str, marker: values.Marker, whole: values.Whole) -> None:
        """Put what has left of an archived match back, in the place of its marker.

        Raises Conflict if the match has another marker, or none.
        """
        ...

    def archived(self, match_id: str) -> values.Marker | None:
        """Return the marker of an archived match, None for any other. Raises ArchiveDamaged."""
        ...

    def all_archived(self) -> Iterator[tuple[str, values.FoundMarker]]:
        """Yield every archived match with its marker, each once.

        ArchiveDamaged stands in the place of a damaged marker.

        A match that is archived, or put back, after the first was asked for may be missing.
        """
        ...

    def generation(self) -> values.Generation | None:
        """Return the generation of the journal, None for one that was never given any."""
        ...

    def replace_generation(self, old: values.Generation | None, new: values.Generation) -> bool:
        """Write a new generation in the place of the old one; also done on a full store.

        Return whether the old one was still there.
        """
        ...
