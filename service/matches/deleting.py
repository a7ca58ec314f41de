"""Deletion of a match by the operator: all that is kept of it goes, but that it was deleted."""

from contextlib import suppress

from service.journal.errors import Conflict
from service.journal.values import Tombstone
from service.matches.desk import Desk
from service.matches.loading import why_missing

COMMAND_LINE = "command line"


def delete(desk: Desk, match_id: str, by: str) -> None:
    """Delete a match for ever; `by`: who says so.

    Other processes notice at their next look at the journal; followers are woken to see that there
    is no match. Raises NotFound, and MatchDeleted if it was deleted before.
    """
    head = desk.journal.head(match_id)
    if head is None:
        raise why_missing(desk, match_id)

    tombstone = Tombstone(desk.clock(), by, head.visibility)
    with suppress(Conflict):  # another was faster: it is deleted, as was wanted
        desk.journal.delete(match_id, tombstone)
    desk.shelf.drop(match_id)
