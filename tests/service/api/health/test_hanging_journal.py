"""Readiness waits once for a hanging journal, not once for each check or each caller."""

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
    """A clock that each unanswered question to the journal advances."""

    def __init__(self, seconds: float) -> None:
        self.now = 0.0
        self._seconds = seconds

    def monotonic(self) -> float:
        """Return the seconds so far."""
        return self.now

    def ask(self) -> None:
        """Advance the clock, and raise JournalUnavailable."""
        self.now += self._seconds
        raise JournalUnavailable("Redis cannot be reached")


def no_queues() -> None:
    """Raise Unreachable, as if the queues were down."""
    raise Unreachable


@pytest.mark.parametrize(("answer_seconds", "most_seconds"), [(10.0, 10.0), (0.001, 0.003)])
def test_a_journal_that_hangs_is_asked_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer_seconds: float, most_seconds: float
) -> None:
    """All checks may ask a journal that refuses at once.

    The findings are those of a hanging one.
    """
    waits = Waits(answer_seconds)
    monkeypatch.setattr("service.api.health.checks.monotonic", waits.monotonic, raising=False)
    ctx = new_context()
    for port, question in QUESTIONS:
        monkeypatch.setattr(getattr(ctx.journal, port), question, waits.ask)

    queues = SimpleNamespace(workers=no_queues)
    findings = look(Subject(ctx, queues, tmp_path))  # type: ignore[arg-type]

    assert waits.now <= most_seconds + 1e-9
    assert findings.faults["journal"] == "the journal cannot be written"
    assert {"pending", "parked", "epoch"} <= findings.advisory.keys()
    assert findings.advisory["epoch"] == findings.advisory["parked"] == "unknown"
    assert "disk" in findings.advisory


def test_a_finding_is_cached_for_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Callers within a second share one finding. A later caller gets a new one."""
    clock = Waits(0)
    monkeypatch.setattr(checks, "monotonic", clock.monotonic)
    looks = count()
    recent = Recent(lambda: next(looks))

    assert [recent(), recent()] == [0, 0]
    clock.now += KEPT_SECONDS
    assert [recent(), recent()] == [1, 1]


def test_a_look_that_takes_long_holds_up_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """During a slow check other callers get the previous findings. They wait for the first ones."""
    monkeypatch.setattr(checks, "KEPT_SECONDS", 0.0)
    is_running, may_end = threading.Event(), threading.Event()
    looks = count()

    def take_long() -> int:
        number = next(looks)
        if number:
            is_running.set()
            may_end.wait(PATIENCE)
        return number

    recent = Recent(take_long)
    assert recent() == 0
    with ThreadPoolExecutor(1) as other:
        second = other.submit(recent)
        is_running.wait(PATIENCE)
        assert recent() == 0
        may_end.set()
        assert second.result() == 1


def test_a_journal_of_a_later_release_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The reported fault is the text of JournalUnusable."""
    sentence = "The journal has the layout '99'"

    def refuse() -> None:
        raise JournalUnusable(sentence)

    ctx = new_context()
    monkeypatch.setattr(ctx.journal.server, "ping", refuse)

    faults = journal(Subject(ctx, SimpleNamespace(), tmp_path))  # type: ignore[arg-type]
    assert faults == {"journal": sentence}


@pytest.mark.parametrize("is_declared", [False, True])
def test_a_declared_unchecked_setting_is_a_warning(tmp_path: Path, is_declared: bool) -> None:
    """A setting that the operator declares unchecked is a warning and no fault."""
    queues = SimpleNamespace(workers=no_queues)
    findings = look(Subject(new_context(), queues, tmp_path, is_declared))  # type: ignore[arg-type]
    assert ("durability" in findings.warnings) == is_declared
    assert "durability" not in findings.faults


def test_an_emptied_journal_is_told_at_every_look(tmp_path: Path) -> None:
    """Readiness reports an emptied journal until the scheduler gives it a generation."""
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
