"""Whether matches can move on: how many wait for the house or a bot, how long, and what the journal lacks."""

from service.matches.desk import Desk


def count_waiting(desk: Desk) -> int:
    """Return how many matches wait for the house or for a bot."""
    return desk.journal.pending_count()


def longest_wait(desk: Desk) -> int:
    """Return how many milliseconds the match that has waited longest has waited, 0 if none waits."""
    now = desk.clock()
    oldest = desk.journal.pending(now, 1)
    return now - oldest[0].since if oldest else 0


def journal_faults(desk: Desk) -> list[str]:
    """Return what is wrong with how the journal is kept, nothing if all is well; raises JournalError.

    A journal that cannot be written raises.
    """
    desk.journal.ping()
    return desk.journal.check()
