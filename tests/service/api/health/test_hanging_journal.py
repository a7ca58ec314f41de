"""A journal that hangs is waited for once by readiness, not by each check or each who asks."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from redis.exceptions import ConnectionError as Unreachable

from service.api.health import checks
from service.api.health.checks import KEPT_SECONDS, OK, Recent, Subject, epoch, journal, look
from service.store.journal.errors import JournalUnavailable, JournalUnusable
from service.store.journal.memory import memory_journal
from service.store.journal.values import Generation
from tests.running import PATIENCE
from tests.service.toy_matches import new_context

QUESTIONS = (("server", "ping"), ("pending", "totals"), ("lifecycle", "generation"))


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
    monkeypatch.setattr("service.api.health.checks.monotonic", waits.monotonic, raising=False)
    ctx = new_context()
    for port, question in QUESTIONS:
        monkeypatch.setattr(getattr(ctx.journal, port), question, waits.ask)

    queues = SimpleNamespace(workers=no_queues)
    found = look(Subject(ctx, queues, tmp_path))  # type: ignore[arg-type]

    assert waits.now <= most_seconds + 1e-9
    assert found.faults["journal"] == "the journal cannot be written"
    assert {"pending", "parked", "epoch"} <= found.advisory.keys()
    assert found.advisory["epoch"] == found.advisory["parked"] == "unknown"
    assert "disk" in found.advisory


def test_what_was_found_is_kept_for_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many ask, the journal is asked once a second."""
    clock = Waits(0)
    monkeypatch.setattr(checks, "monotonic", clock.monotonic)
    looks = count()
    recent = Recent(lambda: next(looks))

    assert [recent(), recent()] == [0, 0]
    clock.now += KEPT_SECONDS
    assert [recent(), recent()] == [1, 1]


def test_a_look_that_takes_long_holds_up_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks meanwhile is told what was found before; the first look is waited for."""
    monkeypatch.setattr(checks, "KEPT_SECONDS", 0.0)
    begun, may_end = threading.Event(), threading.Event()
    looks = count()

    def take_long() -> int:
        number = next(looks)
        if number:
            begun.set()
            may_end.wait(PATIENCE)
        return number

    recent = Recent(take_long)
    assert recent() == 0
    with ThreadPoolExecutor(1) as other:
        second = other.submit(recent)
        begun.wait(PATIENCE)
        assert recent() == 0
        may_end.set()
        assert second.result() == 1


def test_a_journal_of_a_later_release_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its sentence says what to do; that it cannot be written would not."""
    sentence = "The journal has the layout '99'"

    def refuse() -> None:
        raise JournalUnusable(sentence)

    ctx = new_context()
    monkeypatch.setattr(ctx.journal.server, "ping", refuse)

    found = journal(Subject(ctx, SimpleNamespace(), tmp_path))  # type: ignore[arg-type]
    assert found == {"journal": sentence}


@pytest.mark.parametrize("is_declared", [False, True])
def test_what_was_declared_and_not_checked_is_a_warning(tmp_path: Path, is_declared: bool) -> None:
    """The operator's word for a managed server is told to whoever looks, and stops nothing."""
    queues = SimpleNamespace(workers=no_queues)
    found = look(Subject(new_context(), queues, tmp_path, is_declared))  # type: ignore[arg-type]
    assert ("durability" in found.warnings) == is_declared
    assert "durability" not in found.faults


def test_an_emptied_journal_is_told_at_every_look(tmp_path: Path) -> None:
    """Until it has a generation again, which the scheduler gives it."""
    ctx = new_context()
    subject = Subject(ctx, SimpleNamespace(workers=no_queues), tmp_path)  # type: ignore[arg-type]
    first, second = Generation("first", since=1), Generation("second", since=2)
    assert epoch(subject) == {"epoch": OK}, "a new journal has none yet"

    ctx.journal.lifecycle.replace_generation(None, first)
    assert epoch(subject) == {"epoch": OK}

    emptied = replace(ctx, journal=memory_journal())
    subject = replace(subject, ctx=emptied)
    for _ in range(3):
        assert "it was emptied" in epoch(subject)["epoch"]

    emptied.journal.lifecycle.replace_generation(None, second)
    assert epoch(subject) == {"epoch": OK}
