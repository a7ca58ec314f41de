"""A journal that hangs is waited for once by readiness, not by each check that asks it."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from redis.exceptions import ConnectionError as Unreachable

from service.health.checks.subject import Subject
from service.health.readiness import look
from service.journal.errors import JournalUnavailable
from tests.service.toy_matches import new_desk

QUESTIONS = ("ping", "pending_totals", "epoch")


class Waits:
    """A clock that goes on only while somebody waits for an answer that does not come."""

    def __init__(self, seconds: float) -> None:
        self.now = 0.0
        self._seconds = seconds

    def monotonic(self) -> float:
        """Return the seconds so far."""
        return self.now

    def ask(self) -> None:
        """Wait in vain."""
        self.now += self._seconds
        raise JournalUnavailable("Redis cannot be reached")


def no_queues() -> None:
    """Fail, as queues that are away."""
    raise Unreachable


@pytest.mark.parametrize(("answer_seconds", "most_seconds"), [(10.0, 10.0), (0.001, 0.003)])
def test_a_journal_that_hangs_is_asked_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer_seconds: float, most_seconds: float
) -> None:
    """One that refuses at once may be asked by all; what is told is the same."""
    waits = Waits(answer_seconds)
    monkeypatch.setattr("service.health.readiness.monotonic", waits.monotonic, raising=False)
    desk = new_desk()
    for question in QUESTIONS:
        monkeypatch.setattr(desk.journal, question, waits.ask)

    queues = SimpleNamespace(workers=no_queues)
    found = look(Subject(desk, queues, tmp_path))  # type: ignore[arg-type]

    assert waits.now <= most_seconds + 1e-9
    assert found.faults["journal"] == "the journal cannot be written"
    assert {"pending", "parked", "epoch"} <= found.advisory.keys()
    assert found.advisory["epoch"] == found.advisory["parked"] == "unknown"
    assert "disk" in found.advisory
