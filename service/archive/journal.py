"""A journal that reads archived matches from the archive, as if they had never left it."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from service.archive.archive import Archive
from service.journal.errors import (
    ArchiveUnavailable,
    ChainBroken,
    Conflict,
    Deleted,
    JournalUnavailable,
)
from service.journal.port import Journal
from service.journal.values import (
    Appended,
    Entry,
    Marker,
    Metadata,
    Tail,
    Tombstone,
    Whole,
    made_by,
)

__all__ = ["with_archive"]


def with_archive(journal: Journal, archive: Archive, *, look: bool = False) -> Journal:
    """Return a journal with an archive beside it.

    look: put each match that has ended into the idle index, so that the keeper looks how old it is.
    """
    return cast("Journal", _ArchivedJournal(journal, archive, look=look))


class _ArchivedJournal:
    """Answers what the journal alone cannot; whatever is not here, the journal does itself.

    The stream is looked at first. Only where it holds nothing the marker is asked for, so matches
    that are played pay nothing.
    """

    def __init__(self, journal: Journal, archive: Archive, *, look: bool) -> None:
        self._journal = journal
        self._archive = archive
        self._look = look

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a method of the journal itself."""
            return getattr(self._journal, name)

    def append(self, entry: Entry) -> Appended:
        """Append one commit; an archived match repeats what it has made, and takes nothing new."""
        try:
            appended = self._journal.append(entry)
        except Deleted:
            raise
        except (Conflict, ChainBroken) as error:
            # Without its stream an archived match looks like none; any other conflict is real.
            if isinstance(error, Conflict) and error.version > 0:
                raise

            unpacked = self._unpacked(entry.match)
            if unpacked is None:
                raise
            return self._repeat(entry, unpacked)

        if not appended.repeated:
            self._note_end(entry)
        return appended

    def restore(self, entries: Sequence[Entry]) -> None:
        """Append all commits of a match that does not exist yet."""
        self._journal.restore(entries)
        self._note_end(entries[-1])

    def version_made(self, match_id: str, command_id: str, fingerprint: str) -> int | None:
        """Return the version that a command id has made."""
        version = self._journal.version_made(match_id, command_id, fingerprint)
        if version is not None:
            return version

        unpacked = self._unpacked(match_id)
        return None if unpacked is None else made_by(unpacked.ids, command_id, fingerprint)

    def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return commits after a version."""
        commits = self._journal.read(match_id, after, limit)
        if commits:
            return commits

        unpacked = self._unpacked(match_id)
        if unpacked is None:
            # It may have come back from the archive since its stream was looked at.
            return self._journal.read(match_id, after, limit)
        return _piece(unpacked, after, limit)

    def tail(self, match_id: str, after: int, field: str, limit: int | None = None) -> Tail:
        """Return commits after a version, one field of the sidecar and the head."""
        tail = self._journal.tail(match_id, after, field, limit)
        is_whole = tail.head is None or tail.head.version <= after
        if tail.commits or is_whole:
            return tail

        unpacked = self._unpacked(match_id)
        if unpacked is None:
            return self._journal.tail(match_id, after, field, limit)
        return tail._replace(commits=_piece(unpacked, after, limit))

    def metadata(self, match_id: str) -> Metadata:
        """Return all that is kept of a match beside its commits."""
        metadata = self._journal.metadata(match_id)
        if metadata.head is None or not metadata.head.final or metadata.ids:
            return metadata

        unpacked = self._unpacked(match_id)
        if unpacked is None:
            return self._journal.metadata(match_id)

        return Metadata(
            head=metadata.head,
            ids=unpacked.ids,
            sidecar=metadata.sidecar,
            tombstone=None,
            thoughts=unpacked.thoughts,
        )

    def thoughts(self, match_id: str) -> list[bytes]:
        """Return what bots have thought in a match."""
        thoughts = self._journal.thoughts(match_id)
        if thoughts:
            return thoughts

        unpacked = self._unpacked(match_id)
        if unpacked is None:
            return self._journal.thoughts(match_id)
        return unpacked.thoughts

    def delete(self, match_id: str, tombstone: Tombstone) -> Marker | None:
        """Delete all that is kept of a match but its tombstone, its file in the archive too."""
        marker = self._journal.delete(match_id, tombstone)
        if marker is not None:
            self._archive.remove(match_id, marker)
        return marker

    def _unpacked(self, match_id: str) -> Whole | None:
        """Return an archived match, None for any other; raises ArchiveUnavailable."""
        marker = self._journal.archived(match_id)
        if marker is None:
            return None

        try:
            return self._archive.get(match_id, marker)
        except ArchiveUnavailable:
            # Its file may be gone because the match was deleted since its marker was read.
            if self._journal.archived(match_id) == marker:
                raise
            return None

    def _repeat(self, entry: Entry, unpacked: Whole) -> Appended:
        """Return what a command id has made in an archived match; raises Conflict, KeyReused."""
        version = len(unpacked.commits)
        name, value = entry.holds
        if name and self._journal.sidecar_field(entry.match, name) != value:
            raise Conflict(version)

        made = made_by(unpacked.ids, entry.command_id, entry.fingerprint)
        if made is None:
            raise Conflict(version)
        return Appended(made, repeated=True)

    def _note_end(self, entry: Entry) -> None:
        """Let the keeper look at a match to which nothing more can be added.

        The commit stands already, so whatever becomes of the note, its maker is told of the commit.
        Without the note the keeper comes to the match later, or `giornale archive run` does.
        """
        if self._look and entry.head.final:
            with suppress(JournalUnavailable):
                self._journal.look_again({entry.match: entry.head.updated})


def _piece(unpacked: Whole, after: int, limit: int | None) -> list[bytes]:
    end = None if limit is None else after + limit
    return unpacked.commits[after:end]
