"""Whether the journal can be read, also where it takes no moves."""

from service.health.checks.subject import OK, Subject
from service.journal.errors import JournalError


def reading(subject: Subject) -> dict[str, str]:
    """Say that the journal cannot be read; in a cluster one master is asked for all."""
    try:
        subject.desk.journal.epoch()
    except JournalError:
        return {"journal": "the journal cannot be read"}
    return {"journal": OK}
