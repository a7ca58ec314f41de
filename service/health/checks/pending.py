"""Whether matches wait too long, and whether some are parked."""

from service.health.checks.subject import OK, Subject
from service.journal.errors import JournalError
from service.matches import waiting

# So long a match may wait for the house or a bot before that is worth a warning.
_PATIENCE_MS = 10_000


def pending(subject: Subject) -> dict[str, str]:
    """Say for how long a match has waited, if that is long, and how many are parked."""
    try:
        totals = waiting.totals(subject.desk)
    except JournalError:
        return {"pending": "unknown", "parked": "unknown"}

    seconds = totals.longest_wait // 1000
    waits_long = totals.longest_wait >= _PATIENCE_MS
    long_wait = f"a match has waited for the house or a bot for {seconds} s"

    some_are_parked = f"{totals.parked} matches have failed too often: giornale pending"
    return {
        "pending": long_wait if waits_long else OK,
        "parked": some_are_parked if totals.parked else OK,
    }
