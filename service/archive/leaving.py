"""Matches leave the journal for the archive, and come back."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from service.archive.archive import Archive
from service.journal.errors import Conflict
from service.journal.port import Journal
from service.journal.values import Head, Last, Marker, Whole

_PIECE = 200  # commits read in one go
_HEADS = 500  # heads looked at in one go


@dataclass(slots=True)
class Left:
    """What became of matches that were to be archived.

    matches, commits: how many have left.   stored, packed: their bytes in the journal and as files.
    """

    matches: int = 0
    commits: int = 0
    stored: int = 0
    packed: int = 0

    def add(self, marker: Marker) -> None:
        """Count one more match."""
        self.matches += 1
        self.commits += marker.commits
        self.stored += marker.stored
        self.packed += marker.size


def leave(journal: Journal, archive: Archive, match_id: str, now: int) -> Marker | None:
    """Let a match that is final leave for the archive; return its marker.

    None if there is nothing to do: no such match, one that is not final, or one that has left
    before. Its file is written, read back, unpacked and compared first. Whatever dies in between
    leaves the match in the journal, and at most a file that no marker names.

    now: milliseconds since the epoch. Raises ArchiveUnavailable.
    """
    if journal.archived(match_id) is not None:
        return None

    metadata = journal.metadata(match_id)
    head = metadata.head
    if head is None or not head.final:
        return None

    commits = _all_commits(journal, match_id, head)
    if len(commits) != head.version:
        return None  # it was deleted, or has left, meanwhile

    whole = Whole(commits, metadata.ids, metadata.thoughts)
    marker = archive.put(match_id, whole, now)
    try:
        journal.archive(match_id, marker, Last(head.hash, len(metadata.ids)))
    except Conflict:
        # Another has archived it meanwhile, perhaps as the very same file, or has deleted it.
        current = journal.archived(match_id)
        if current is None or current.sha256 != marker.sha256:
            archive.remove(match_id, marker)
        return None
    return marker


def _all_commits(journal: Journal, match_id: str, head: Head) -> list[bytes]:
    commits: list[bytes] = []
    while len(commits) < head.version:
        piece = journal.read(match_id, len(commits), _PIECE)
        if not piece:
            break
        commits += piece
    return commits


def come_back(journal: Journal, archive: Archive, match_id: str) -> Marker | None:
    """Put an archived match back into its stream; return its marker, None if it was not archived.

    Its file stays: a backup of the journal that was made before names it. Raises
    ArchiveUnavailable.
    """
    marker = journal.archived(match_id)
    if marker is None:
        return None

    unpacked = archive.read(match_id, marker)
    journal.unarchive(match_id, marker, unpacked)
    return marker


def due(journal: Journal, before: int) -> Iterator[tuple[str, Head]]:
    """Yield the matches that may leave: they are final since before a time, and not archived."""
    archived = {match for match, _ in journal.all_archived()}
    names = (match for match in journal.matches() if match not in archived)
    while some := list(islice(names, _HEADS)):
        for match, head in zip(some, journal.heads(some), strict=True):
            if head is not None and head.final and head.updated < before:
                yield match, head
