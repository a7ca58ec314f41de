"""Matches that are deleted or archived, and the generation of the journal."""

from collections.abc import Iterator
from typing import Protocol

from service.store.journal import values


class LifecyclePort(Protocol):
    """Matches that are deleted or archived, and the generation of the whole journal."""

    def delete(self, match_id: str, tombstone: values.Tombstone) -> values.Marker | None:
        """Delete a match and store its tombstone. Its id is never used again.

        Return the marker of an archived match, None if it is damaged. The caller removes the file.
        Raises Conflict for an unknown match, Deleted for one that was deleted before.
        """
        ...

    def deleted(self, match_id: str) -> values.Tombstone | None:
        """Return the tombstone of a deleted match, None for any other."""
        ...

    def put_tombstone(self, match_id: str, tombstone: values.Tombstone) -> bool:
        """Store a tombstone for an unknown match, so that its id is never used.

        Return False, and change nothing, for a known or deleted match.
        """
        ...

    def archive(self, match_id: str, marker: values.Marker, last: values.Last) -> None:
        """Replace commits, command ids, thoughts and snapshot by a marker.

        last: the required end of the match. Head, metadata, listing and feed stay. `read`, `tail`,
        `thoughts` and `version_made` then find no commits, thoughts or ids, and no commit can be
        appended. Raises Conflict if the match is unknown, not final or archived already, or if its
        end differs from `last`.
        """
        ...

    def unarchive(self, match_id: str, marker: values.Marker, whole: values.Whole) -> None:
        """Restore the archived part of a match in place of its marker.

        Raises Conflict if the match has another marker, or none.
        """
        ...

    def archived(self, match_id: str) -> values.Marker | None:
        """Return the marker of an archived match, None for any other. Raises ArchiveDamaged."""
        ...

    def all_archived(self) -> Iterator[tuple[str, values.FoundMarker]]:
        """Yield every archived match with its marker, each once.

        ArchiveDamaged takes the place of a damaged marker. A match that is archived or unarchived
        after the first was requested may be missing.
        """
        ...

    def generation(self) -> values.Generation | None:
        """Return the generation of the journal, None if the journal was never given any."""
        ...

    def replace_generation(self, old: values.Generation | None, new: values.Generation) -> bool:
        """Replace the old generation by a new one. A full store does this too.

        Return False, and change nothing, if the journal's generation is not the old one.
        """
        ...
