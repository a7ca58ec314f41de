"""A journal with an archive beside it: archived matches are read like stored ones.

Three ports of the journal are wrapped: `events`, `metadata` and `lifecycle`. The stream is read
first. The marker is requested only if the stream has no answer, to spare running matches a request.

A match may be unarchived between these two requests. So `read`, `tail`, `dump` and `thoughts` ask
the journal once more if neither request has an answer.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from service.store.archive.archive import Archive
from service.store.journal import errors, values
from service.store.journal.ports import Journal
from service.store.journal.ports.events import EventsPort
from service.store.journal.ports.lifecycle import LifecyclePort
from service.store.journal.ports.metadata import MetadataPort

__all__ = ["with_archive"]


def with_archive(journal: Journal, archive: Archive, *, look: bool = False) -> Journal:
    """Return a journal with an archive beside it.

    look: put each ended match into the idle index, so that the scheduler checks its age.
    """
    archived = _Archived(journal, archive)
    return replace(
        journal,
        events=cast("EventsPort", _Events(journal, archived, look=look)),
        metadata=cast("MetadataPort", _ArchivedMetadata(journal.metadata, archived)),
        lifecycle=cast("LifecyclePort", _Lifecycle(journal.lifecycle, archive)),
    )


class _Archived:
    """The archived matches of a journal."""

    def __init__(self, journal: Journal, archive: Archive) -> None:
        self._lifecycle = journal.lifecycle
        self._archive = archive

    def get(self, match_id: str) -> values.Whole | None:
        """Return an archived match, None for any other. Raises ArchiveUnavailable."""
        marker = self._lifecycle.archived(match_id)
        if marker is None:
            return None

        try:
            return self._archive.get(match_id, marker)
        except errors.ArchiveUnavailable:
            # Raise no error if the match has lost this marker since, for example by a deletion.
            if self._lifecycle.archived(match_id) == marker:
                raise
            return None


class _WrappedPort:
    """A port that passes calls of missing methods to the port below."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a method of the port below."""
            return getattr(self._port, name)


class _Events(_WrappedPort):
    """Commits from the stream, or from the archive if the stream has none."""

    def __init__(self, journal: Journal, archived: _Archived, *, look: bool) -> None:
        self._port = journal.events
        self._metadata = journal.metadata
        self._index = journal.index
        self._archived = archived
        self._look = look

    def append(self, entry: values.Entry) -> values.Appended:
        """Append one commit. An archived match only repeats the answer to an old command id."""
        try:
            appended = self._port.append(entry)
        except errors.Deleted:
            raise
        except (errors.Conflict, errors.ChainBroken) as error:
            # An archived match has no stream, and so seems to be at version 0. A conflict with
            # another version is real.
            if isinstance(error, errors.Conflict) and error.version > 0:
                raise

            whole = self._archived.get(entry.match)
            if whole is None:
                raise
            return self._repeat(entry, whole)

        if self._look and not appended.repeated:
            self._note_end(entry)
        return appended

    def restore(self, entries: Sequence[values.Entry]) -> None:
        """Append all commits of a match that does not exist yet."""
        self._port.restore(entries)
        if self._look:
            self._note_end(entries[-1])

    def version_made(self, match_id: str, command_id: str, fingerprint: str) -> int | None:
        """Return the version made by a command id."""
        version = self._port.version_made(match_id, command_id, fingerprint)
        if version is not None:
            return version

        whole = self._archived.get(match_id)
        return None if whole is None else values.made_by(whole.ids, command_id, fingerprint)

    def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        """Return commits after a version."""
        commits = self._port.read(match_id, after, limit)
        if commits:
            return commits

        whole = self._archived.get(match_id)
        if whole is None:
            # The match may have been unarchived since the stream was read: read again.
            return self._port.read(match_id, after, limit)
        return _piece(whole, after, limit)

    def tail(self, match_id: str, after: int, field: str, limit: int | None = None) -> values.Tail:
        """Return commits after a version, one field of the metadata and the head."""
        tail = self._port.tail(match_id, after, field, limit)
        is_whole = tail.head is None or tail.head.version <= after
        if tail.commits or is_whole:
            return tail

        whole = self._archived.get(match_id)
        if whole is None:
            return self._port.tail(match_id, after, field, limit)
        return tail._replace(commits=_piece(whole, after, limit))

    def _repeat(self, entry: values.Entry, whole: values.Whole) -> values.Appended:
        """Return the version made by a command id in an archived match.

        Raises Conflict, KeyReused.
        """
        version = len(whole.commits)
        name, value = entry.precondition
        if name and self._metadata.field(entry.match, name) != value:
            raise errors.Conflict(version)

        version_made = values.made_by(whole.ids, entry.command_id, entry.fingerprint)
        if version_made is None:
            raise errors.Conflict(version)
        return values.Appended(version_made, repeated=True)

    def _note_end(self, entry: values.Entry) -> None:
        """Put a final match into the idle index.

        The commit is stored already, so an error here must not reach the caller. If the match is
        then missing in the index, `giornale archive run` still archives it.
        """
        if entry.head.final:
            with suppress(errors.JournalUnavailable):
                self._index.look_again({entry.match: entry.head.updated})


class _ArchivedMetadata(_WrappedPort):
    """Command ids and thoughts from the journal, or from the archive."""

    def __init__(self, port: MetadataPort, archived: _Archived) -> None:
        self._port = port
        self._archived = archived

    def dump(self, match_id: str) -> values.Metadata:
        """Return the data of a match beside its commits."""
        metadata = self._port.dump(match_id)
        if metadata.head is None or not metadata.head.final or metadata.ids:
            return metadata

        whole = self._archived.get(match_id)
        if whole is None:
            return self._port.dump(match_id)
        return replace(metadata, ids=whole.ids, tombstone=None, thoughts=whole.thoughts)

    def thoughts(self, match_id: str) -> list[bytes]:
        """Return the thoughts of bots in a match."""
        thoughts = self._port.thoughts(match_id)
        if thoughts:
            return thoughts

        whole = self._archived.get(match_id)
        return self._port.thoughts(match_id) if whole is None else whole.thoughts


class _Lifecycle(_WrappedPort):
    """The lifecycle of matches. The deletion of an archived match removes its file, too."""

    def __init__(self, port: LifecyclePort, archive: Archive) -> None:
        self._port = port
        self._archive = archive

    def delete(self, match_id: str, tombstone: values.Tombstone) -> values.Marker | None:
        """Delete a match, store its tombstone, and remove the file of an archived match."""
        marker = self._port.delete(match_id, tombstone)
        if marker is not None:
            self._archive.remove(match_id, marker)
        return marker


def _piece(whole: values.Whole, after: int, limit: int | None) -> list[bytes]:
    end = None if limit is None else after + limit
    return whole.commits[after:end]
