"""The archive: packed matches in a place, each found by its id and its marker's digest.

`archive_match` moves a match out of the journal, `unarchive_match` puts it back, and `check` reads
all that is archived.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath

from service.record.commit import parse_commit
from service.record.verify import chain
from service.record.verify.report import Wrong
from service.store.archive.packing import NotReadable, pack, unpack
from service.store.archive.places import DRAFT, FileStore, NotThere, PlaceError
from service.store.journal.errors import ArchiveDamaged, ArchiveUnavailable, Conflict, FileLeft
from service.store.journal.ports import Journal
from service.store.journal.values import Head, Last, Marker, Whole

REMEMBERED = 32  # unpacked matches; one has some 200 kB
_DIGEST_DIGITS = 12  # of a digest, in a file's name
_SUFFIX = ".zst"
_PIECE = 200  # commits read in one go
_HEADS = 500  # heads looked at in one go
_LOG = "log/"  # how the names of the log's files begin, which lie in the same place


class Archive:
    """Packed matches; safe to share among threads."""

    def __init__(self, place: FileStore) -> None:
        self.place = place
        self._unpacked: OrderedDict[str, Whole] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, match_id: str, whole: Whole, at: int) -> Marker:
        """Pack a match, write it, read it back, unpack it and compare; return its marker.

        at: the time now, in milliseconds. Raises ArchiveUnavailable.
        """
        packed = pack(match_id, whole)
        marker = Marker(
            sha256=hashlib.sha256(packed).hexdigest(),
            size=len(packed),
            commits=len(whole.commits),
            stored=sum(map(len, whole.commits)),
            at=at,
        )
        try:
            self.place.write(name_of(match_id, marker), packed)
        except PlaceError as error:
            detail = f"match {match_id} cannot be archived in {self.place}: {error}"
            raise ArchiveUnavailable(match_id, detail) from None

        if self.read(match_id, marker) != whole:
            detail = f"match {match_id} cannot be archived: it is not unpacked as it was packed"
            raise ArchiveUnavailable(match_id, detail)
        return marker

    def get(self, match_id: str, marker: Marker) -> Whole:
        """Return an archived match, remembered or read anew; raises as `read` does."""
        with self._lock:
            known = self._unpacked.get(marker.sha256)
            if known is not None:
                self._unpacked.move_to_end(marker.sha256)
                return known

        unpacked = self.read(match_id, marker)

        with self._lock:
            self._unpacked[marker.sha256] = unpacked
            if len(self._unpacked) > REMEMBERED:
                self._unpacked.popitem(last=False)
        return unpacked

    def read(self, match_id: str, marker: Marker) -> Whole:
        """Return an archived match as its file holds it; raises ArchiveUnavailable.

        The file must be the one that the marker names, and what comes out the match; else
        ArchiveDamaged is raised.
        """
        try:
            packed = self.place.read(name_of(match_id, marker))
            unpacked = _unpacked(match_id, marker, packed)
        except (PlaceError, NotReadable) as error:
            raise self._unreadable(match_id, marker, error) from None
        return unpacked

    def remove(self, match_id: str, marker: Marker) -> None:
        """Remove a packed match; raises FileLeft."""
        with self._lock:
            self._unpacked.pop(marker.sha256, None)

        name = name_of(match_id, marker)
        try:
            self.place.remove(name)
        except PlaceError as error:
            raise FileLeft(
                match_id,
                f"the file {name} of match {match_id} in {self.place} could not be removed: "
                f"{error}; no match needs it any more: run giornale archive verify --clean",
            ) from None

    def _unreadable(self, match_id: str, marker: Marker, error: Exception) -> ArchiveUnavailable:
        name = name_of(match_id, marker)
        detail = f"match {match_id} cannot be read from {name} in {self.place}: {error}"
        if isinstance(error, NotThere | NotReadable):
            advice = "put the file back from a copy of the archive"
            return ArchiveDamaged(match_id, f"{detail}; {advice}")

        advice = "see that GIORNALE_ARCHIVE is right, and that the archive can be reached"
        return ArchiveUnavailable(match_id, f"{detail}; {advice}")


def name_of(match_id: str, marker: Marker) -> str:
    """Return the name of a packed match's file.

    The first two letters of the id are a folder, so 1,024 folders share all matches. Two ways to
    pack one match have two names, so neither replaces the other.
    """
    digest = marker.sha256[:_DIGEST_DIGITS]
    return f"{match_id[:2]}/{match_id}-{digest}{_SUFFIX}"


def _unpacked(match_id: str, marker: Marker, packed: bytes) -> Whole:
    """Return the match that a file holds, if it is the marker's; raises NotReadable."""
    if hashlib.sha256(packed).hexdigest() != marker.sha256:
        raise NotReadable("its SHA-256 is another than that of the journal's marker")

    unpacked = unpack(packed)
    last = parse_commit(unpacked.commits[-1])["commit"]
    if last["match"] != match_id or len(unpacked.commits) != marker.commits:
        raise NotReadable("it holds another match")
    return unpacked


@dataclass(slots=True)
class ArchiveTotals:
    """What became of matches that were to be archived, or unarchived.

    matches, commits: how many were moved.
    stored, packed: their bytes in the journal and as files.
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


def archive_match(journal: Journal, archive: Archive, match_id: str, now: int) -> Marker | None:
    """Move a match that is final into the archive; return its marker.

    None if there is nothing to do: no such match, one that is not final, or one that is archived.
    Its file is written, read back, unpacked and compared first. Whatever dies in between
    leaves the match in the journal, and at most a file that no marker names.

    now: milliseconds since the epoch. Raises ArchiveUnavailable.
    """
    if journal.lifecycle.archived(match_id) is not None:
        return None

    metadata = journal.metadata.dump(match_id)
    head = metadata.head
    if head is None or not head.final:
        return None

    commits = _all_commits(journal, match_id, head)
    if len(commits) != head.version:
        return None  # it was deleted, or archived, meanwhile

    whole = Whole(commits, metadata.ids, metadata.thoughts)
    try:
        marker = archive.put(match_id, whole, now)
    except (ValueError, LookupError, TypeError):
        detail = f"match {match_id} cannot be archived: its commits are damaged"
        raise ArchiveDamaged(match_id, detail) from None
    try:
        journal.lifecycle.archive(match_id, marker, Last(head.hash, len(metadata.ids)))
    except Conflict:
        # Another has archived it meanwhile, perhaps as the very same file, or has deleted it.
        current = journal.lifecycle.archived(match_id)
        if current is None or current.sha256 != marker.sha256:
            archive.remove(match_id, marker)
        return None
    return marker


def _all_commits(journal: Journal, match_id: str, head: Head) -> list[bytes]:
    commits: list[bytes] = []
    while len(commits) < head.version:
        piece = journal.events.read(match_id, len(commits), _PIECE)
        if not piece:
            break
        commits += piece
    return commits


def unarchive_match(journal: Journal, archive: Archive, match_id: str) -> Marker | None:
    """Put an archived match back into its stream; return its marker, None if it was not archived.

    Its file stays: a backup of the journal that was made before names it. Raises
    ArchiveUnavailable.
    """
    marker = journal.lifecycle.archived(match_id)
    if marker is None:
        return None

    unpacked = archive.read(match_id, marker)
    journal.lifecycle.unarchive(match_id, marker, unpacked)
    return marker


def due(journal: Journal, before: int) -> Iterator[tuple[str, Head]]:
    """Yield the matches to archive: they are final since before a time, and not archived.

    One with a damaged head stays.
    """
    archived = {match for match, _ in journal.lifecycle.all_archived()}
    names = (match for match in journal.events.matches() if match not in archived)
    while some := list(islice(names, _HEADS)):
        for match, head in zip(some, journal.events.heads(some), strict=True):
            if isinstance(head, Head) and head.final and head.updated < before:
                yield match, head


@dataclass(slots=True)
class ArchiveCheck:
    """What a check of the archive has found.

    right: how many archived matches are as they must be.   wrong: a sentence for each other.
    leftovers: files of deleted matches, and such as were never written to their end.
    spare: how many other files no marker names. They stay: a backup of the journal may name them.
    """

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)
    spare: int = 0


def check(journal: Journal, archive: Archive, progress: Callable[[int], None]) -> ArchiveCheck:
    """Return what is right and wrong in an archive.

    progress: called with 1 for each match.   Raises JournalUnavailable, PlaceError.
    """
    checked = ArchiveCheck()
    needed = set()
    for match, marker in journal.lifecycle.all_archived():
        if isinstance(marker, ArchiveDamaged):
            fault = str(marker)
        else:
            needed.add(name_of(match, marker))
            fault = _fault(journal, archive, match, marker)
        if fault:
            checked.wrong.append(fault)
        else:
            checked.right += 1
        progress(1)

    for name in archive.place.names():
        if name in needed or name.startswith(_LOG):
            continue

        if _is_leftover(journal, name):
            checked.leftovers.append(name)
        else:
            checked.spare += 1

    return checked


def clean(archive: Archive, leftovers: list[str]) -> Iterator[str]:
    """Remove files; yield the name of each. Raises PlaceError."""
    for name in leftovers:
        archive.place.remove(name)
        yield name


def _fault(journal: Journal, archive: Archive, match_id: str, marker: Marker) -> str:
    """Return what is wrong with an archived match, "" if nothing is."""
    try:
        unpacked = archive.read(match_id, marker)
        commits = chain.check(chain.read_stored(unpacked.commits))
    except ArchiveUnavailable as error:
        # It may have been deleted, or have come back, since its marker was read.
        try:
            return str(error) if journal.lifecycle.archived(match_id) == marker else ""
        except ArchiveDamaged as damaged:
            return str(damaged)
    except Wrong as wrong:
        return f"match {match_id} is not right: {wrong}"

    head = journal.events.head(match_id)
    if head is not None and head.hash != commits[-1]["hash"]:
        return f"match {match_id} is not right: it ends with another commit than its head says"
    return ""


def _is_leftover(journal: Journal, name: str) -> bool:
    """Return whether a file is of a deleted match, or was never written to its end.

    Nobody can come to need such a file, whatever else is at work.
    """
    file_name = PurePosixPath(name).name
    if file_name.startswith(DRAFT):
        return True
    match, separator, _digest = file_name.partition("-")
    return bool(separator) and journal.lifecycle.deleted(match) is not None
