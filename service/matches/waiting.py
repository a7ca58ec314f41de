"""Whether matches can move on: what waits for the house or a bot, and what the journal lacks."""

from service.journal.values import PendingTotals
from service.matches.desk import Desk


def totals(desk: Desk) -> PendingTotals:
    """Return how many matches wait for the house or a bot and how many are parked.

    It also tells how long one has waited at most, in milliseconds; 0 if none waits.
    """
    return desk.journal.pending_totals()


def count_waiting(desk: Desk) -> int:
    """Return how many matches wait for the house or a bot, without those that are parked."""
    return totals(desk).waiting


def journal_faults(desk: Desk) -> list[str]:
    """Return what is unsafe about how the journal is kept, a sentence each.

    Raises JournalError if it cannot be written.
    """
    desk.journal.ping()
    return desk.journal.check()
