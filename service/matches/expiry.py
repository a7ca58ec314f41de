"""Matches that are left alone come to an end: the house ends what has seen no commit for long (M11)."""

import logging
from dataclasses import dataclass

from domain.errors import RuleBroken
from domain.match.messages import Expire
from domain.match.state import status
from service.journal.port import Conflict, Head, JournalUnavailable
from service.ledger.times import milliseconds
from service.matches.committing import commit
from service.matches.desk import Desk
from service.matches.loading import load

_log = logging.getLogger(__name__)

HOUR = 3_600_000
DAY = 24 * HOUR
MOST_LOOKS = 500  # matches looked at in one round of the keeper
MOST_ENDED = 50  # matches ended in one round of the keeper


@dataclass(frozen=True, slots=True)
class Patience:
    """For how long a match may be left alone, in milliseconds: one not started, and one that has; 0: for ever."""

    open: int
    running: int

    def of(self, status: str) -> int:
        """Return the patience with a match of a status."""
        return self.open if status == "open" else self.running


def expire(desk: Desk, patience: Patience) -> int:
    """End the matches that were left alone for too long, a bounded number in each call; return how many.

    The idle index tells which matches are due to be looked at; their heads tell what is to become of them.
    """
    if not patience.open and not patience.running:
        return 0
    now = desk.clock()
    due = desk.journal.idle(now, MOST_LOOKS)
    later: dict[str, int | None] = {}
    ended = 0
    for match, head in zip(due, desk.journal.heads(due), strict=True):
        if head is None or head.status not in ("open", "running"):
            later[match] = None
        elif not _is_over(head, patience, now):
            later[match] = _next_look(head, patience, now)
        elif ended < MOST_ENDED:  # the others stay due and have their turn in the next round
            later[match] = _try_to_end(desk, match, patience, now)
            ended += later[match] is None
    if later:
        desk.journal.look_again(later)
    return ended


def _is_over(head: Head, patience: Patience, now: int) -> bool:
    longest = patience.of(head.status)
    return longest > 0 and head.updated + longest <= now


def _next_look(head: Head, patience: Patience, now: int) -> int:
    """Return when a match is to be looked at again: an open one may have started until then."""
    longest = patience.of(head.status)
    if not longest:
        return now + max(patience.open, patience.running)
    if head.status == "open" and patience.running:
        return min(head.updated + longest, now + patience.running)
    return head.updated + longest


def _try_to_end(desk: Desk, match: str, patience: Patience, now: int) -> int | None:
    """End one match; return None, or when to try again. A match that cannot be ended stops none of the others."""
    try:
        loaded = load(desk, match)
        if milliseconds(loaded.time) + patience.of(status(loaded.match)) > now:
            return now  # somebody has come back since its head was read
        commit(desk, loaded, "house", Expire())
    except (Conflict, RuleBroken):
        return now
    except JournalUnavailable:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong with one match
        _log.exception("a match could not be ended", extra={"match": match})
        return now + DAY
    return None
