"""Whether the journal still holds all that it once held."""

from service.health.checks.subject import OK, Subject
from service.journal.errors import JournalError
from service.matches import epochs


def epoch(subject: Subject) -> dict[str, str]:
    """Say that the journal has gone back, until an operator accepts it."""
    known_before = bool(subject.desk.epoch)
    try:
        found = epochs.look(subject.desk)
    except JournalError:
        return {"epoch": "unknown"}

    if found is None and known_before:
        return {"epoch": "the journal has no epoch any more: it was emptied, or is another one"}
    if found is None or found.gone_back is None:
        return {"epoch": OK}
    how = "accept it with: giornale journal accept"
    return {"epoch": f"{epochs.sentence(found.gone_back)}; {how}"}
