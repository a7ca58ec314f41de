"""The house and the bots act exactly once, whoever does it and however often it is asked for."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from service.journal.memory import memory_journal
from service.ledger.commit import Json, StoredCommit, parse_commit
from service.matches import automation
from service.matches.bots import Evaluation, Turn
from service.matches.context import Context
from service.matches.lifecycle import delete
from service.matches.opening import Opened, OpenRequest, open_new
from tests.service.journal.passing_time import Clock
from tests.service.matches.conftest import SECRET, Wakes, bots, now, play_on
from workers.bots import choose

WORKERS = 8
HOUR = 3_600_000


@pytest.fixture
def bots_only(ctx: Context) -> Opened:
    """Calimala among bots."""
    return open_new(ctx, OpenRequest("calimala", bots(3), seed="bots"))


def play_to_the_house(ctx: Context, opened: Opened) -> None:
    """Let the bots play until the house must act."""
    while now(ctx, opened).match.status.worker == "bots":
        automation.play_bots(ctx, opened.loaded.id, choose)


def entries(ctx: Context, opened: Opened) -> list[StoredCommit]:
    """Return all commits of a match."""
    return [parse_commit(stored) for stored in ctx.journal.events.read(opened.loaded.id)]


def actors_of(entries: list[StoredCommit]) -> list[str]:
    """Return who made each commit."""
    return [entry["commit"]["actor"] for entry in entries]


def commands_of(entries: list[StoredCommit]) -> list[Json]:
    """Return the command of each commit."""
    return [entry["commit"]["command"] for entry in entries]


def ask_all_workers(job: Callable[[], object]) -> None:
    """Give the same job to many workers at once."""
    with ThreadPoolExecutor(WORKERS) as pool:
        answers = [pool.submit(job) for _ in range(WORKERS)]

    for answer in answers:
        answer.result()


def test_bots_play_by_themselves_to_the_end(ctx: Context, bots_only: Opened) -> None:
    """A match of bots needs nobody; its last commit is the revelation (M9)."""
    play_on(ctx, bots_only)

    status = now(ctx, bots_only).match.status
    assert status.name == "finished"
    assert status.awaiting == ""


def test_a_job_wakes_its_successor_once_and_not_once_a_move(
    ctx: Context, bots_only: Opened, wakes: Wakes
) -> None:
    """Whoever goes on by itself wakes nobody for it: a match of bots would flood the queue."""
    wakes.clear()
    automation.play_bots(ctx, bots_only.loaded.id, choose)

    loaded = now(ctx, bots_only)
    awaiting = loaded.match.status.awaiting
    assert loaded.version > 20
    assert wakes == [(loaded.id, loaded.version, awaiting)]


def test_the_same_job_twice_at_once_scores_once(ctx: Context, bots_only: Opened) -> None:
    """Eight workers get the job of the same scoring phase: one commit settles it (C38)."""
    play_to_the_house(ctx, bots_only)
    before = len(entries(ctx, bots_only))
    match = bots_only.loaded.id
    ask_all_workers(lambda: automation.act(ctx, match))

    after = entries(ctx, bots_only)[before:]

    assert actors_of(after) == ["house"]


def test_the_same_bots_turn_twice_at_once_is_made_once(ctx: Context, bots_only: Opened) -> None:
    """Eight workers get the job of the same turn: the history is that of one worker alone."""
    alone = Context(memory_journal(), ctx.secret, ctx.clock, ctx.wake, allow_seed=True)
    twin = open_new(alone, OpenRequest("calimala", bots(3), seed="bots"))
    play_to_the_house(alone, twin)

    match = bots_only.loaded.id
    ask_all_workers(lambda: automation.play_bots(ctx, match, choose))
    play_to_the_house(ctx, bots_only)

    together = commands_of(entries(ctx, bots_only))
    by_one = commands_of(entries(alone, twin))

    assert together == by_one


def test_a_long_turn_of_bots_is_handed_on(ctx: Context, bots_only: Opened, wakes: Wakes) -> None:
    """A job makes a bounded number of moves and wakes the next worker.

    So no match keeps a worker to itself.
    """
    wakes.clear()
    automation.play_bots(ctx, bots_only.loaded.id, choose)

    _match, _version, awaiting = wakes[-1]
    assert awaiting == "exhibition"
    assert len(entries(ctx, bots_only)) == 1 + automation.MOVES_A_JOB


def test_whatever_waits_too_long_is_woken_again(
    ctx: Context, bots_only: Opened, wakes: Wakes
) -> None:
    """The keeper finds in the journal what a lost job has left undone."""
    wakes.clear()

    assert automation.sweep(ctx, 10**9) == 0
    assert automation.sweep(ctx, 0) == 1
    assert wakes == [(bots_only.loaded.id, 1, "exhibition")]


def test_a_match_that_moves_on_is_not_woken(wakes: Wakes) -> None:
    """The wait counts from the last commit: a match at work is left alone."""
    clock = Clock()
    ctx = Context(memory_journal(clock=clock), SECRET, clock, lambda *wake: wakes.append(wake))
    opened = open_new(ctx, OpenRequest("calimala", bots(3)))
    clock.ahead += HOUR
    automation.play_bots(ctx, opened.loaded.id, choose)
    wakes.clear()

    assert automation.sweep(ctx, HOUR) == 0
    assert wakes == []

    clock.ahead += HOUR
    assert automation.sweep(ctx, HOUR) == 1


def test_a_late_job_changes_nothing(ctx: Context, bots_only: Opened) -> None:
    """A job for a match that waits for somebody else, has ended or was deleted is done at once."""
    match = bots_only.loaded.id
    automation.act(ctx, match)
    assert now(ctx, bots_only).version == 1, "it is not the house's turn"

    play_on(ctx, bots_only)
    last = now(ctx, bots_only).version
    for late_job in (automation.act, late_turn):
        late_job(ctx, match)
    assert now(ctx, bots_only).version == last

    delete(ctx, match, "operator")
    for late_job in (automation.act, late_turn):
        late_job(ctx, match)


def late_turn(ctx: Context, match: str) -> None:
    """Do the bots' job."""
    automation.go_on(ctx, match, choose)


def test_a_match_that_has_failed_goes_on_whoever_must_act(
    ctx: Context, bots_only: Opened, wakes: Wakes
) -> None:
    """It is tried again by one kind of job alone, for the house as for the bots."""
    match = bots_only.loaded.id
    ctx.journal.pending.fail(match, "ValueError", [0])
    assert automation.sweep(ctx, 10**9) == 1
    assert wakes[-1] == (match, 1, "retry")

    play_to_the_house(ctx, bots_only)
    before = now(ctx, bots_only).version
    automation.go_on(ctx, match, choose)

    assert now(ctx, bots_only).version == before + 1
    assert actors_of(entries(ctx, bots_only))[-1] == "house"


def test_a_bot_sees_only_what_its_seat_may_see(ctx: Context, bots_only: Opened) -> None:
    """The state a bot thinks on is imagined: the same view, other hidden cards (C43)."""
    match = bots_only.loaded.match
    seen: list[tuple[Any, int]] = []

    def spy(turn: Turn) -> Evaluation:
        seen.append((turn.imagined, turn.seat))
        return choose(replace(turn, imagined=turn.imagined.copy()))

    automation.play_bots(ctx, bots_only.loaded.id, spy)

    imagined, seat = seen[0]
    assert imagined is not match.state
    assert imagined != match.state

    view_of_bot = match.game.view(imagined, seat)
    view_of_seat = match.game.view(match.state, seat)

    assert view_of_bot == view_of_seat


SPOILT = {"ahead": {"version": 9}, "of-another-stream": {"hash": "0" * 64}}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_match_kept_wrongly_is_read_anew(
    ctx: Context, bots_only: Opened, spoil: dict[str, Any]
) -> None:
    """A journal put back from a backup is the truth.

    What a process still remembers beyond it stops nobody.
    """
    ctx.cache.heads.put(bots_only.loaded.id, replace(bots_only.loaded, **spoil))
    play_on(ctx, bots_only)

    loaded = now(ctx, bots_only)

    assert loaded.match.status.name == "finished"
    assert loaded.version == len(entries(ctx, bots_only))
