"""The archive: packed matches in a place, each found by its id and its marker's digest."""

import hashlib
import threading
from collections import OrderedDict

from service.archive.packed import NotReadable, pack, unpack
from service.archive.places import NotThere, Place, PlaceError
from service.journal.errors import ArchiveDamaged, ArchiveUnavailable, FileLeft
from service.journal.values import Marker, Whole
from service.ledger.commit import parse_commit

REMEMBERED = 32  # unpacked matches; one has some 200 kB
_DIGEST_DIGITS = 12  # of a digest, in a file's name
_SUFFIX = ".zst"


class Archive:
    """Packed matches; safe to share among threads."""

    def __init__(self, place: Place) -> None:
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
        raise NotReadable("its SHA-256 is another than the journal's marker tells")

    unpacked = unpack(packed)
    last = parse_commit(unpacked.commits[-1])["commit"]
    if last["match"] != match_id or len(unpacked.commits) != marker.commits:
        raise NotReadable("it holds another match")
    return unpacked
