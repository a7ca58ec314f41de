"""An ended match leaves for the archive, with all that lists tell of it kept in the journal."""

from service.archive.archive import Archive
from service.archive.leaving import leave
from service.journal.values import Marker
from service.matches.desk import Desk
from service.matches.seating import FIELDS, seats_beside


def archive(desk: Desk, archive_: Archive, match_id: str) -> Marker | None:
    """Let a match that is final leave for the archive; return what `leave` does.

    Raises ArchiveUnavailable.
    """
    [(head, sidecar)] = desk.journal.overviews([(match_id, FIELDS)])
    if head is None or not head.final:
        return None

    # Imported matches may not have their seats beside the chain yet. A list that had to read them
    # from the archive would fail whole if one file were missing.
    seats_beside(desk, match_id, sidecar)
    return leave(desk.journal, archive_, match_id, desk.clock())
