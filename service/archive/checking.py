"""Every archived match checked: its file, its digest, its commits, each upon the one before."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from service.archive.archive import Archive, name_of
from service.archive.places import DRAFT
from service.journal.errors import ArchiveUnavailable
from service.journal.port import Journal
from service.journal.values import Marker
from service.verify import chain
from service.verify.report import Wrong


@dataclass(slots=True)
class Checked:
    """What a check of the archive has found.

    right: how many archived matches are as they must be.   wrong: a sentence for each other.
    leftovers: files of deleted matches, and such as were never written to their end.
    spare: how many other files no marker names. They stay: a backup of the journal may name them.
    """

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    leftovers: list[str] = field(default_factory=list)
    spare: int = 0


def check(journal: Journal, archive: Archive, progress: Callable[[int], None]) -> Checked:
    """Return what is right and wrong in an archive.

    progress: told of each match as 1.   Raises JournalUnavailable, PlaceError.
    """
    checked = Checked()
    needed = set()

    for match, marker in journal.all_archived():
        needed.add(name_of(match, marker))
        fault = _fault(journal, archive, match, marker)
        if fault:
            checked.wrong.append(fault)
        else:
            checked.right += 1
        progress(1)

    for name in archive.place.names():
        if name in needed:
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
        return str(error) if journal.archived(match_id) == marker else ""
    except Wrong as wrong:
        return f"match {match_id} is not right: {wrong}"

    head = journal.head(match_id)
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
    return bool(separator) and journal.deleted(match) is not None
