"""The archive: packed matches as files in a place, named by match and digest.

States of a final match:

    stored     commits, command ids and thoughts are in the journal
    archived   the journal has a marker in their place, and the marker names a file
    deleted    the journal has a tombstone

`archive_match` moves a stored match into the archive, and `unarchive_match` moves it back. Its file
stays in the archive, because an older backup of the journal may name the file. The deletion of an
archived match removes its file.

Several schedulers and operators may archive, restore and delete the same match at the same time.
The journal decides: `LifecyclePort.archive` sets the marker only if the match is final and still
has the packed commits and as many command ids. The loser of a race removes its file, unless the
marker names this file.

A process dies in `archive_match`:

1. While it writes the file: a directory then has a draft, which `check` lists as a leftover.
2. Between `Archive.put` and `LifecyclePort.archive`: no marker names the file, so `check` counts
   the file as spare.

In both cases the match is still stored, and the next `archive_match` begins at the start. A process
that dies in a deletion may leave the file of a deleted match, which `check` lists as a leftover.
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

REMEMBERED = 32  # cached unpacked matches; one has some 200 kB
_DIGEST_DIGITS = 12  # digits of a digest in a file's name
_SUFFIX = ".zst"
_PIECE = 200  # commits of one read
_HEADS = 500  # heads of one read
_LOG = "log/"  # folder of the log's files in the same place


class Archive:
    """Packed matches in a place, with a cache. Safe to share among threads."""

    def __init__(self, place: FileStore) -> None:
        self.place = place
        self._unpacked: OrderedDict[str, Whole] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, match_id: str, whole: Whole, at: int) -> Marker:
        """Pack a match, write it, read it back, unpack it and compare. Return its marker.

        at: the time now, in milliseconds. Raises ArchiveUnavailable, and ArchiveDamaged if the
            written file does not hold the match. Raises other errors for damaged commits.
        """
        packed = pack(match_id, whole)
        marker = Marker(
            sha256=hashlib.sha256(packed).hexdigest(),
            size=len(packed),
            commits=len(whole.commits),
            stored=sum(map(len, whole.commits)),
            at=at,
        )
        name = name_of(match_id, marker)
        failure = f"match {match_id} cannot be archived in {self.place}"
        try:
            self.place.write(name, packed)
            is_intact = self.place.read(name) == packed
        except NotThere:
            is_intact = False
        except PlaceError as error:
            raise ArchiveUnavailable(match_id, f"{failure}: {error}") from None

        if not is_intact:
            reason = "it reads back otherwise than written. Check the storage"
            raise ArchiveDamaged(match_id, f"{failure} as {name}: {reason}")
        fault = _packing_fault(match_id, marker, packed, whole)
        if fault:
            advice = f"Check it with giornale verify {match_id}. If it is right, report this error"
            raise ArchiveDamaged(match_id, f"{failure} as {name}: {fault}. {advice}")
        return marker

    def get(self, match_id: str, marker: Marker) -> Whole:
        """Return an archived match, from the cache if possible. Raises as `read` does."""
        with self._lock:
            cached = self._unpacked.get(marker.sha256)
            if cached is not None:
                self._unpacked.move_to_end(marker.sha256)
                return cached

        unpacked = self.read(match_id, marker)

        with self._lock:
            self._unpacked[marker.sha256] = unpacked
            if len(self._unpacked) > REMEMBERED:
                self._unpacked.popitem(last=False)
        return unpacked

    def read(self, match_id: str, marker: Marker) -> Whole:
        """Return the content of an archived match's file. Raises ArchiveUnavailable.

        Raises ArchiveDamaged if the file is missing, has another digest than the marker, cannot be
        unpacked, or holds another match.
        """
        try:
            packed = self.place.read(name_of(match_id, marker))
            unpacked = _match_in(match_id, marker, packed)
        except (PlaceError, NotReadable) as error:
            raise self._unreadable(match_id, marker, error) from None
        return unpacked

    def remove(self, match_id: str, marker: Marker) -> None:
        """Remove a packed match. Raises FileLeft."""
        with self._lock:
            self._unpacked.pop(marker.sha256, None)

        name = name_of(match_id, marker)
        try:
            self.place.remove(name)
        except PlaceError as error:
            raise FileLeft(
                match_id,
                f"the file {name} of match {match_id} in {self.place} could not be removed: "
                f"{error}. No match needs it any more. Run giornale archive verify --clean",
            ) from None

    def _unreadable(self, match_id: str, marker: Marker, error: Exception) -> ArchiveUnavailable:
        name = name_of(match_id, marker)
        detail = f"match {match_id} cannot be read from {name} in {self.place}: {error}"
        if isinstance(error, NotThere | NotReadable):
            advice = "put the file back from a copy of the archive"
            return ArchiveDamaged(match_id, f"{detail}; {advice}")

        advice = "check GIORNALE_ARCHIVE and the connection to the archive"
        return ArchiveUnavailable(match_id, f"{detail}; {advice}")


def name_of(match_id: str, marker: Marker) -> str:
    """Return the name of a packed match's file.

    The first two characters of the id (a-z, 2-7) name one of 1,024 folders. One match packed in two
    ways has two names, so neither file replaces the other.
    """
    digest = marker.sha256[:_DIGEST_DIGITS]
    return f"{match_id[:2]}/{match_id}-{digest}{_SUFFIX}"


def _match_in(match_id: str, marker: Marker, packed: bytes) -> Whole:
    """Return the match in a file. Raises NotReadable, also for a file of another marker."""
    if hashlib.sha256(packed).hexdigest() != marker.sha256:
        raise NotReadable("its SHA-256 differs from the journal's marker")

    unpacked = unpack(packed)
    last = parse_commit(unpacked.commits[-1])["commit"]
    if last["match"] != match_id or len(unpacked.commits) != marker.commits:
        raise NotReadable("it holds another match")
    return unpacked


def _packing_fault(match_id: str, marker: Marker, packed: bytes, whole: Whole) -> str:
    """Return the fault of a new packed match in words, "" if it holds the match."""
    try:
        is_same = _match_in(match_id, marker, packed) == whole
    except NotReadable as error:
        return str(error)
    return "" if is_same else "it unpacks to something else"


@dataclass(slots=True)
class ArchiveTotals:
    """Totals of some archived or unarchived matches.

    matches, commits: counts.   stored: bytes of the commits in the journal.
    packed: bytes of the files.
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
    """Move a final match into the archive. Return its marker.

    Return None if the match is unknown, not final or archived already, or after a lost race. The
    file is written, read back, unpacked and compared before the match leaves the journal.

    now: milliseconds since the epoch. Raises ArchiveUnavailable, HeadDamaged.
    """
    if journal.lifecycle.archived(match_id) is not None:
        return None

    metadata = journal.metadata.dump(match_id)
    head = metadata.head
    if head is None or not head.final:
        return None

    commits = _all_commits(journal, match_id, head)
    if len(commits) != head.version:
        return None  # deleted or archived meanwhile

    whole = Whole(commits, metadata.ids, metadata.thoughts)
    try:
        marker = archive.put(match_id, whole, now)
    except (ValueError, LookupError, TypeError):
        detail = f"match {match_id} cannot be archived: its commits are damaged"
        advice = f"Find the damage with giornale verify {match_id}"
        raise ArchiveDamaged(match_id, f"{detail}. {advice}") from None
    try:
        journal.lifecycle.archive(match_id, marker, Last(head.hash, len(metadata.ids)))
    except Conflict:
        # Lost the race: the match was deleted meanwhile, or archived, perhaps as the same file.
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
    """Restore an archived match in the journal. Return its marker, None if it was not archived.

    The file stays, because earlier backups of the journal may name it. Raises ArchiveUnavailable,
    and Conflict after a lost race.
    """
    marker = journal.lifecycle.archived(match_id)
    if marker is None:
        return None

    unpacked = archive.read(match_id, marker)
    journal.lifecycle.unarchive(match_id, marker, unpacked)
    return marker


def due(journal: Journal, before: int) -> Iterator[tuple[str, Head]]:
    """Yield the final matches that are not archived, last updated before a time.

    Matches with a damaged head are left out.
    """
    archived = {match for match, _ in journal.lifecycle.all_archived()}
    names = (match for match in journal.events.matches() if match not in archived)
    while some := list(islice(names, _HEADS)):
        for match, head in zip(some, journal.events.heads(some), strict=True):
            if isinstance(head, Head) and head.final and head.updated < before:
                yield match, head


@dataclass(slots=True)
class ArchiveCheck:
    """The result of a check of the archive.

    right: number of intact archived matches.   wrong: a message for each other archived match.
    leftovers: files of deleted matches, and incomplete files.
    spare: number of other files without a marker, apart from the log's. These files stay, because a
        backup of the journal may name them.
    """

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)
    spare: int = 0


def check(journal: Journal, archive: Archive, progress: Callable[[int], None]) -> ArchiveCheck:
    """Check all archived matches, and look for files without a marker.

    progress: called with 1 for each match. Raises JournalUnavailable, HeadDamaged, PlaceError.
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
    """Remove files, and yield the name of each. Raises PlaceError."""
    for name in leftovers:
        archive.place.remove(name)
        yield name


def _fault(journal: Journal, archive: Archive, match_id: str, marker: Marker) -> str:
    """Return the fault of an archived match in words, "" for none."""
    try:
        unpacked = archive.read(match_id, marker)
        commits = chain.check(chain.read_stored(unpacked.commits))
    except ArchiveUnavailable as error:
        # Blame the file only if the match still has this marker: it may be deleted or restored.
        try:
            return str(error) if journal.lifecycle.archived(match_id) == marker else ""
        except ArchiveDamaged as damaged:
            return str(damaged)
    except Wrong as wrong:
        return f"match {match_id} is not valid: {wrong}"

    head = journal.events.head(match_id)
    if head is not None and head.hash != commits[-1]["hash"]:
        return f"match {match_id} is not valid: its last commit is not the one in its head"
    return ""


def _is_leftover(journal: Journal, name: str) -> bool:
    """Return True for a file of a deleted match, or an incomplete one.

    Such a file may be removed while other processes run, since no marker will ever name it.
    """
    file_name = PurePosixPath(name).name
    if file_name.startswith(DRAFT):
        return True
    match, separator, _digest = file_name.partition("-")
    return bool(separator) and journal.lifecycle.deleted(match) is not None
