"""Lifecycle: idle matches expire (M11), final ones go to the archive, an operator deletes some."""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from domain.errors import RuleBroken, RulesUnknown
from domain.match.messages import Expire
from domain.seats import HOUSE_ACTOR
from service.base.errors import MatchDeleted
from service.matches.access import why_missing
from service.matches.command_handler import Act, commit
from service.matches.context import Context
from service.matches.derived import FIELDS, with_derived
from service.matches.repository import load
from service.record.commit import milliseconds
from service.store.archive.archive import Archive, archive_match
from service.store.journal.errors import Conflict, HeadDamaged, JournalUnavailable
from service.store.journal.values import ENDED, Head, Marker, Tombstone

_log = logging.getLogger(__name__)

HOUR = 3_600_000
DAY = 24 * HOUR
MOST_LOOKS = 500  # matches checked in one round of the scheduler
MOST_ENDED = 50  # matches ended in one round of the scheduler
_DAMAGED_MS = 600_000  # until the next check of a match with a damaged head


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of the time without a commit, in milliseconds. 0: none.

    open: before the start.   running: after the start.
    """

    open: int
    running: int

    def of(self, status: str) -> int:
        """Return the patience with a match of a status."""
        return self.open if status == "open" else self.running


# Handles an ended match, given its id, its head and the time now. Returns the time of the next
# check, None for never. The head was read before, and may show the match before its end.
OfEnded = Callable[[str, Head, int], int | None]


def never_again(_match_id: str, _head: Head, _now: int) -> int | None:
    """Return None: an ended match is not checked again."""
    return None


def expire(ctx: Context, patience: Patience, of_ended: OfEnded = never_again) -> int:
    """End the matches that were left alone for too long, a bounded number in each call.

    Return the number of matches that were ended now. The idle index gives the matches with a due
    check, and their heads decide what is due.
    """
    if not patience.open and not patience.running and of_ended is never_again:
        return 0

    now = ctx.clock()
    due_matches = ctx.journal.index.idle(now, MOST_LOOKS)
    heads = ctx.journal.events.heads(due_matches)
    next_looks: dict[str, int | None] = {}  # None: never again
    ended = 0

    for match, head in zip(due_matches, heads, strict=True):
        if head is None:
            next_looks[match] = None
        elif isinstance(head, HeadDamaged):
            next_looks[match] = now + _DAMAGED_MS
        elif head.status in ENDED:
            next_looks[match] = of_ended(match, head, now)
        elif not _is_over(head, patience, now):
            next_looks[match] = _next_look(head, patience, now)
        elif ended < MOST_ENDED:  # the others stay due and have their turn in the next round
            next_looks[match] = _try_to_end(ctx, match, patience, now)
            if next_looks[match] is None:
                ended += 1
                next_looks[match] = of_ended(match, head, now)

    if next_looks:
        ctx.journal.index.look_again(next_looks)
    return ended


def _is_over(head: Head, patience: Patience, now: int) -> bool:
    """Return True if a match was left alone for too long."""
    longest = patience.of(head.status)
    return longest > 0 and head.updated + longest <= now


def _next_look(head: Head, patience: Patience, now: int) -> int:
    """Return the time of the next check of a match. An open match may have started by then."""
    longest = patience.of(head.status)
    if not longest:
        return now + (max(patience.open, patience.running) or DAY)

    ends = head.updated + longest
    if head.status == "open" and patience.running:
        return min(ends, now + patience.running)
    return ends


def _try_to_end(ctx: Context, match_id: str, patience: Patience, now: int) -> int | None:
    """End one match. Return None, or the time of the next try.

    A fault of one match stops none of the others.
    """
    try:
        loaded = load(ctx, match_id)
        longest = patience.of(loaded.status.name)
        if not longest or milliseconds(loaded.time) + longest > now:
            return now  # it has started, or has a new commit, since its head was read
        commit(ctx, loaded, Act(HOUSE_ACTOR, Expire()))
    except (Conflict, RuleBroken, MatchDeleted):
        return now
    except JournalUnavailable:
        raise
    except RulesUnknown:  # workers and /readyz report it
        return now + DAY
    except Exception:  # noqa: BLE001 - any fault of one match
        _log.exception("match could not be ended", extra={"match": match_id})
        return now + DAY
    return None


def archive(ctx: Context, archive_: Archive, match_id: str) -> Marker | None:
    """Archive a final match. All fields for lists stay in the journal.

    Return the marker of the match, None if there is nothing to do. Raises ArchiveUnavailable, and
    NotFound for a match without commits.
    """
    head, metadata = ctx.journal.events.overview(match_id, FIELDS)
    if head is None or not head.final:
        return None

    # An imported match may lack the field of its seats. Then a list would have to read the match
    # from the archive, and one missing file would fail the whole list.
    try:
        with_derived(ctx, match_id, metadata)
    except MatchDeleted:  # meanwhile
        return None
    return archive_match(ctx.journal, archive_, match_id, ctx.clock())


def delete(ctx: Context, match_id: str, by: str) -> None:
    """Delete a match for ever. Its tombstone and its entries in the log stay.

    by: author of the deletion.

    Other processes notice at their next read of the journal. Followers are notified, and find the
    match gone. Raises NotFound, and MatchDeleted if the match was deleted before.
    """
    [head] = ctx.journal.events.heads([match_id])
    if head is None:
        raise why_missing(ctx, match_id)

    # The public learns of no deletion of a match that may be private.
    visibility = head.visibility if isinstance(head, Head) else "private"
    tombstone = Tombstone(ctx.clock(), by, visibility)
    with suppress(Conflict):  # lost the race: it is deleted all the same
        ctx.journal.lifecycle.delete(match_id, tombstone)
    ctx.cache.heads.drop(match_id)
