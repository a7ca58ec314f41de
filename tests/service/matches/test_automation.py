"""The house and the bots act exactly once, for any number of processes and requests."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from service.matches import automation
from service.matches.automation import PAUSES_MS, failures_noted
from service.matches.context import Context
from service.matches.lifecycle import delete
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.record.commit import Content, parse_commit
from service.store.journal.errors import JournalFull, JournalUnavailable
from service.store.journal.memory import memory_journal
from tests.service.matches.conftest import SECRET, Wakes, bots, context_over, now, play_on
from tests.service.store.journal.passing_time import Clock
from workers.bots import choose

WORKERS = 8


@pytest.fixture
def bots_only(ctx: Context) -> NewMatch:
    """Calimala among bots."""
    return open_new(ctx, OpenRequest("calimala", bots(3), seed="bots"))


def play_to_the_house(ctx: Context, opened: NewMatch) -> None:
    """Let the bots play until the house must act."""
    while now(ctx, opened).match.status.worker == "bots":
        automation.play_bots(ctx, opened.loaded.id, choose)


def commits_of(ctx: Context, opened: NewMatch) -> list[Content]:
    """Return all commits of a match, without their secret parts."""
    stored = ctx.journal.events.read(opened.loaded.id)
    return [parse_commit(commit_bytes)["commit"] for commit_bytes in stored]


def ask_all_workers(job: Callable[[], object]) -> None:
    """Give the same job to many workers at once."""
    with ThreadPoolExecutor(WORKERS) as pool:
        answers = [pool.submit(job) for _ in range(WORKERS)]

    for answer in answers:
        answer.result()


def test_a_long_turn_of_bots_is_handed_on(ctx: Context, bots_only: NewMatch, wakes: Wakes) -> None:
    """A job makes a bounded number of moves, so that no match occupies a worker.

    It enqueues its successor once, not for each move, so that the queue is not flooded.
    """
    wakes.clear()
    automation.play_bots(ctx, bots_only.loaded.id, choose)

    last = 1 + automation.MOVES_A_JOB
    assert now(ctx, bots_only).version == last
    assert wakes == [(bots_only.loaded.id, last, "exhibition")]


def test_the_same_bots_turn_twice_at_once_is_made_once(ctx: Context, bots_only: NewMatch) -> None:
    """Eight workers get the job of the same turn: the history is that of one worker alone."""
    alone = context_over(memory_journal())
    twin = open_new(alone, OpenRequest("calimala", bots(3), seed="bots"))
    play_to_the_house(alone, twin)

    match = bots_only.loaded.id
    ask_all_workers(lambda: automation.play_bots(ctx, match, choose))
    play_to_the_house(ctx, bots_only)

    together = [commit["command"] for commit in commits_of(ctx, bots_only)]
    assert together == [commit["command"] for commit in commits_of(alone, twin)]


def test_a_late_job_changes_nothing(ctx: Context, bots_only: NewMatch) -> None:
    """A late job does nothing if the match waits for others, has ended or was deleted."""
    match = bots_only.loaded.id
    automation.act(ctx, match)
    assert now(ctx, bots_only).version == 1, "it is not the house's turn"

    play_on(ctx, bots_only)
    last = now(ctx, bots_only).version
    automation.act(ctx, match)
    automation.go_on(ctx, match, choose)
    assert now(ctx, bots_only).version == last

    delete(ctx, match, "operator")
    automation.act(ctx, match)
    automation.go_on(ctx, match, choose)


def test_a_match_that_has_failed_goes_on_whoever_must_act(
    ctx: Context, bots_only: NewMatch, wakes: Wakes
) -> None:
    """A failed match is retried by one kind of job, for the house and for the bots."""
    match = bots_only.loaded.id
    ctx.journal.pending.fail(match, "ValueError", [0])
    assert automation.sweep(ctx, 10**9) == 1
    assert wakes[-1] == (match, 1, "retry")

    play_to_the_house(ctx, bots_only)
    before = now(ctx, bots_only).version
    automation.go_on(ctx, match, choose)

    assert now(ctx, bots_only).version == before + 1
    assert commits_of(ctx, bots_only)[-1]["actor"] == "house"


# ---- retries: what fails is tried again, then parked, and holds up no other ----------------------

MINUTE = 60_000
SCHEDULER_AFTER_MS = 1_000
ROUND_MS = 500


class House:
    """Scheduler and workers of one process, with a clock of the test."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.woken: list[str] = []
        self.tries: list[str] = []
        self.broken: set[str] = set()
        self.ctx = Context(memory_journal(clock=self.clock), SECRET, self.clock, self.wake)

    def wake(self, match: str, _version: int, _work: str) -> None:
        """Note the job."""
        self.woken.append(match)

    def open_match(self) -> str:
        """Open a match of bots and lose its job."""
        match: str = open_new(self.ctx, OpenRequest("calimala", bots(3))).loaded.id
        self.woken.clear()
        return match

    def do_jobs(self) -> None:
        """Do each job once, as the worker does, and those that follow from it."""
        while self.woken:
            match = self.woken.pop(0)
            self.tries.append(match)
            try:
                with failures_noted(self.ctx, match):
                    self._do_job(match)
            except ZeroDivisionError:
                continue

    def _do_job(self, match: str) -> None:
        if match in self.broken:
            raise ZeroDivisionError("the text of an error may tell of a card")
        automation.go_on(self.ctx, match, choose)

    def pass_time(self, milliseconds: int) -> None:
        """Let time pass, with rounds of the scheduler and jobs in between."""
        for _round in range(milliseconds // ROUND_MS):
            self.clock.ahead += ROUND_MS
            automation.sweep(self.ctx, SCHEDULER_AFTER_MS)
            self.do_jobs()


@pytest.fixture
def broken_house() -> House:
    """Scheduler and workers."""
    return House()


def is_over(ctx: Context, match: str) -> bool:
    """Return True if a match has ended."""
    head = ctx.journal.events.head(match)
    return head is not None and head.status == "ended"


def test_a_match_that_always_fails_is_parked_until_it_is_freed(
    broken_house: House, caplog: pytest.LogCaptureFixture
) -> None:
    """Only the type of the error is stored and logged, because its text may name a card."""
    match = broken_house.open_match()
    broken_house.broken.add(match)

    broken_house.pass_time(10 * MINUTE)

    assert broken_house.tries == [match] * (len(PAUSES_MS) + 1)
    [parked] = broken_house.ctx.journal.pending.due(0, 9)
    assert (parked.tries, parked.error, parked.parked) == (8, "ZeroDivisionError", True)
    assert automation.totals(broken_house.ctx) == (0, 1, 0)

    logged = [line for line in caplog.records if line.name == "service.matches.automation"]
    assert [line.msg for line in logged] == ["match failed"] * 7 + ["match parked"]
    assert {vars(line)["match"] for line in logged} == {match}
    assert "card" not in caplog.text

    broken_house.broken.clear()
    broken_house.pass_time(MINUTE)
    assert not is_over(broken_house.ctx, match)

    assert automation.free(broken_house.ctx, match)
    broken_house.pass_time(MINUTE)
    assert is_over(broken_house.ctx, match)
    assert not automation.free(broken_house.ctx, match)


@pytest.mark.parametrize("error", [JournalUnavailable, JournalFull])
def test_a_journal_that_is_away_is_no_fault_of_a_match(
    broken_house: House, error: type[Exception]
) -> None:
    """An outage of the journal is not counted as a failure of the match."""
    match = broken_house.open_match()

    with pytest.raises(error), failures_noted(broken_house.ctx, match):
        raise error("away")

    assert broken_house.ctx.journal.pending.due(0, 9)[0].tries == 0


def test_a_failure_that_cannot_be_noted_is_still_raised(
    broken_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first error is raised, not that of the journal afterwards."""

    def away(*_arguments: Any) -> None:
        raise JournalUnavailable("away")

    monkeypatch.setattr(broken_house.ctx.journal.pending, "fail", away)

    with pytest.raises(ZeroDivisionError), failures_noted(broken_house.ctx, "m"):
        raise ZeroDivisionError
