"""Whether matches can move on: what waits for the house or a bot, and what the journal lacks."""

from service.matches.desk import Desk


def count_waiting(desk: Desk) -> int:
    """Return how many matches wait for the house or for a bot."""
    return desk.journal.pending_count()


def longest_wait(desk: Desk) -> int:
    """Return how long a match has waited for the house or a bot, in milliseconds.

    It is the match that has waited longest; 0 if none waits.
    """
    now = desk.clock()
    oldest = desk.journal.pending(now, 1)
    return now - oldest[0].since if oldest else 0


def journal_faults(desk: Desk) -> list[str]:
    """Return what is unsafe about how the journal is kept, a sentence each.

    Raises JournalError if it cannot be written.
    """
    desk.journal.ping()
    return desk.journal.check()
