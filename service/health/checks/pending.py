"""Whether matches wait too long."""

from service.health.checks.subject import OK, Subject
from service.journal.errors import JournalError
from service.matches import waiting

# So long a match may wait for the house or a bot before that is worth a warning.
_PATIENCE_MS = 10_000


def pending(subject: Subject) -> dict[str, str]:
    """Say for how long a match has waited, if that is long."""
    try:
        age = waiting.longest_wait(subject.desk)
    except JournalError:
        return {"pending": "unknown"}

    if age < _PATIENCE_MS:
        return {"pending": OK}
    return {"pending": f"a match has waited for the house or a bot for {age // 1000} s"}
