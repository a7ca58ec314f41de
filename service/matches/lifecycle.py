"""Lifecycle: idle matches expire (M11), final ones go to the archive, an operator deletes some."""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from domain.errors import RuleBroken, RulesUnknown
from domain.match.messages import Expire
from domain.seats import HOUSE_ACTOR
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
MOST_LOOKS = 500  # matches looked at in one round of the scheduler
COMMAND_LINE = "command line"  # who deletes or imports without HTTP
MOST_ENDED = 50  # matches ended in one round of the scheduler
_DAMAGED_MS = 600_000  # until a match with a damaged head is looked at again


@dataclass(frozen=True, slots=True)
class Patience:
    """For how long a match may be left alone, in milliseconds; 0: for ever.

    open: one that has not started.   running: one that has.
    """

    open: int
    running: int

    def of(self, status: str) -> int:
        """Return the patience with a match of a status."""
        return self.open if status == "open" else self.running


# What becomes of a match that has ended: given its id, its head and the time now, it returns when
# to look at the match again, None for never. The head may be from before the end.
OfEnded = Callable[[str, Head, int], int | None]


def never_again(_match_id: str, _head: Head, _now: int) -> int | None:
    """Return that a match that has ended need not be looked at any more."""
    return None


def expire(ctx: Context, patience: Patience, of_ended: OfEnded = never_again) -> int:
    """End the matches that were left alone for too long, a bounded number in each call.

    Returns how many. The idle index says which matches are due to be looked at; their heads say
    what is to become of them.
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
    """Return whether a match was left alone for too long."""
    longest = patience.of(head.status)
    return longest > 0 and head.updated + longest <= now


def _next_look(head: Head, patience: Patience, now: int) -> int:
    """Return when a match is to be looked at again: an open one may have started until then."""
    longest = patience.of(head.status)
    if not longest:
        return now + (max(patience.open, patience.running) or DAY)

    ends = head.updated + longest
    if head.status == "open" and patience.running:
        return min(ends, now + patience.running)
    return ends


def _try_to_end(ctx: Context, match_id: str, patience: Patience, now: int) -> int | None:
    """End one match; return None, or when to try again.

    A match that cannot be ended stops none of the others.
    """
    try:
        loaded = load(ctx, match_id)
        longest = patience.of(loaded.status.name)
        if not longest or milliseconds(loaded.time) + longest > now:
            return now  # it has started, or somebody has come back, since its head was read
        commit(ctx, loaded, Act(HOUSE_ACTOR, Expire()))
    except (Conflict, RuleBroken):
        return now
    except JournalUnavailable:
        raise
    except RulesUnknown:  # workers and /readyz say so
        return now + DAY
    except Exception:  # noqa: BLE001 - whatever is wrong with one match
        _log.exception("a match could not be ended", extra={"match": match_id})
        return now + DAY
    return None


def archive(ctx: Context, archive_: Archive, match_id: str) -> Marker | None:
    """Archive a match that is final, with all that lists need of it still in the journal.

    Return what `leave` does. Raises ArchiveUnavailable.
    """
    head, metadata = ctx.journal.events.overview(match_id, FIELDS)
    if head is None or not head.final:
        return None

    # Imported matches may not have their seats beside the chain yet. A list that had to read them
    # from the archive would fail whole if one file were missing.
    with_derived(ctx, match_id, metadata)
    return archive_match(ctx.journal, archive_, match_id, ctx.clock())


def delete(ctx: Context, match_id: str, by: str) -> None:
    """Delete a match for ever, all but that it was deleted; `by`: who says so.

    Other processes notice at their next look at the journal; followers are woken to see that there
    is no match. Raises NotFound, and MatchDeleted if it was deleted before.
    """
    [head] = ctx.journal.events.heads([match_id])
    if head is None:
        raise why_missing(ctx, match_id)

    # The public learns of no deletion of a match that may be private.
    visibility = head.visibility if isinstance(head, Head) else "private"
    tombstone = Tombstone(ctx.clock(), by, visibility)
    with suppress(Conflict):  # another was faster: it is deleted, as was wanted
        ctx.journal.lifecycle.delete(match_id, tombstone)
    ctx.cache.heads.drop(match_id)
