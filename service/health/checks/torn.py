"""Whether the bundled server has found the end of its file torn."""

from service.health.checks.subject import OK, Subject
from service.health.torn_note import read_note


def torn(subject: Subject) -> dict[str, str]:
    """Say what was cut off, until the operator has seen to it."""
    return {"torn": read_note(subject.data / "journal") or OK}
