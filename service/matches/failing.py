"""Matches in which the house or a bot fails: tried again after growing pauses, then parked.

A parked match waits until somebody frees it, or commits to it. Of an error only its type is kept:
its text may tell of cards.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from service.journal.errors import JournalError, JournalUnavailable
from service.journal.values import Failure, Pending
from service.matches.desk import Desk

_log = logging.getLogger(__name__)

# After the first failure, after the second and so on, in milliseconds. The next one parks the
# match.
PAUSES_MS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)

WORKER_DIED = "WorkerDied"

_ALL = 1_000_000  # more matches than wait at any time


@dataclass(frozen=True, slots=True)
class WaitingMatch:
    """A match that waits, and for whom: "house", "bots" or "exhibition"; "" for none any more."""

    pending: Pending
    work: str


@contextmanager
def failures_noted(desk: Desk, match_id: str) -> Iterator[None]:
    """Note of a match what is raised within, and raise it on.

    A journal that cannot be reached is no match's fault.
    """
    try:
        yield
    except JournalUnavailable:
        raise
    except Exception as error:
        with suppress(JournalError):
            note(desk, match_id, type(error).__name__)
        raise


def note(desk: Desk, match_id: str, error: str) -> None:
    """Note that the house or a bot could not act in a match, by the type of the error.

    Raises JournalError.
    """
    failure = desk.journal.note_failure(match_id, error, PAUSES_MS)
    if failure is not None:
        _log_failure(match_id, error, failure)


def waiting_matches(desk: Desk, limit: int) -> list[WaitingMatch]:
    """Return at most `limit` matches that wait for the house or a bot, longest first."""
    waiting = desk.journal.pending(0, limit)
    heads = desk.journal.heads([one.match for one in waiting])

    found = []
    for one, head in zip(waiting, heads, strict=True):
        found.append(WaitingMatch(one, head.work if head else ""))
    return found


def pending_of(desk: Desk, match_id: str) -> Pending | None:
    """Return how long a match waits for the house or a bot, and what has failed; None: it does not.

    All that wait are looked through.
    """
    waiting = desk.journal.pending(0, _ALL)
    return next((one for one in waiting if one.match == match_id), None)


def free(desk: Desk, match_id: str) -> bool:
    """Have a match tried again at once, as if it had never failed; return whether it had."""
    return desk.journal.free_pending(match_id)


def free_all(desk: Desk) -> list[str]:
    """Have every match that has failed tried again at once; return which these are."""
    waiting = desk.journal.pending(0, _ALL)
    return [one.match for one in waiting if one.tries and free(desk, one.match)]


def _log_failure(match_id: str, error: str, failure: Failure) -> None:
    details = {"match": match_id, "tries": failure.tries, "error": error}
    if failure.parked:
        _log.error("a match was parked", extra=details)
    else:
        _log.warning("a match has failed", extra=details)
