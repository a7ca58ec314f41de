"""Whether the journal is there, can be written and is safe."""

from service.health.checks.subject import OK, Subject
from service.journal.errors import (
    JournalError,
    JournalUnusable,
    TooFewReplicas,
    Unconfirmed,
)
from service.matches import waiting


def journal(subject: Subject) -> dict[str, str]:
    """Say what is wrong with the journal."""
    try:
        faults = waiting.journal_faults(subject.desk)
    except Unconfirmed:
        return {"journal": "too few replicas of the journal confirm what is written"}
    except TooFewReplicas:
        return {
            "journal": "the journal takes no moves (NOREPLICAS): too few replicas are connected, "
            "or its disk is full"
        }
    except JournalUnusable as error:
        return {"journal": str(error)}
    except JournalError:
        return {"journal": "the journal cannot be written"}
    return {"journal": "; ".join(faults) or OK}
