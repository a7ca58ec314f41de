"""The house and the bots act exactly once, whoever does it and however often it is asked for."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from service.journal.memory import MemoryJournal
from service.ledger.canonical import Json
from service.ledger.commit import StoredCommit, parse_commit
from service.matches import house
from service.matches.deleting import delete
from service.matches.desk import Desk
from service.matches.opening import Opened, Wish, open_new
from service.matches.thoughts import Thought, Turn
from tests.service.journal.passing_time import Clock
from tests.service.matches.conftest import SECRET, Wakes, bots, now, play_on
from workers.bots import choose

WORKERS = 8
HOUR = 3_600_000


@pytest.fixture
def bots_only(desk: Desk) -> Opened:
    """Calimala among bots."""
    return open_new(desk, Wish("calimala", bots(3), seed="bots"))


def play_to_the_house(desk: Desk, opened: Opened) -> None:
    """Let the bots play until the house must act."""
    while now(desk, opened).match.standing.work == "bots":
        house.play_bots(desk, opened.loaded.id, choose)


def entries(desk: Desk, opened: Opened) -> list[StoredCommit]:
    """Return all commits of a match."""
    return [parse_commit(stored) for stored in desk.journal.read(opened.loaded.id)]


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


def test_bots_play_by_themselves_to_the_end(desk: Desk, bots_only: Opened) -> None:
    """A match of bots needs nobody; its last commit is the revelation (M9)."""
    play_on(desk, bots_only)

    standing = now(desk, bots_only).match.standing
    assert standing.status == "finished"
    assert standing.work == ""


def test_a_job_wakes_its_successor_once_and_not_once_a_move(
    desk: Desk, bots_only: Opened, wakes: Wakes
) -> None:
    """Whoever goes on by itself wakes nobody for it: a match of bots would flood the queue."""
    wakes.clear()
    house.play_bots(desk, bots_only.loaded.id, choose)

    loaded = now(desk, bots_only)
    errand = loaded.match.standing.errand
    assert loaded.version > 20
    assert wakes == [(loaded.id, loaded.version, errand)]


def test_the_same_job_twice_at_once_scores_once(desk: Desk, bots_only: Opened) -> None:
    """Eight workers get the job of the same scoring phase: one commit settles it (C38)."""
    play_to_the_house(desk, bots_only)
    before = len(entries(desk, bots_only))
    match = bots_only.loaded.id
    ask_all_workers(lambda: house.act(desk, match))

    after = entries(desk, bots_only)[before:]

    assert actors_of(after) == ["house"]


def test_the_same_bots_turn_twice_at_once_is_made_once(desk: Desk, bots_only: Opened) -> None:
    """Eight workers get the job of the same turn: the history is that of one worker alone."""
    alone = Desk(MemoryJournal(), desk.secret, desk.clock, desk.wake, allow_seed=True)
    twin = open_new(alone, Wish("calimala", bots(3), seed="bots"))
    play_to_the_house(alone, twin)

    match = bots_only.loaded.id
    ask_all_workers(lambda: house.play_bots(desk, match, choose))
    play_to_the_house(desk, bots_only)

    together = commands_of(entries(desk, bots_only))
    by_one = commands_of(entries(alone, twin))

    assert together == by_one


def test_a_long_turn_of_bots_is_handed_on(desk: Desk, bots_only: Opened, wakes: Wakes) -> None:
    """A job makes a bounded number of moves and wakes the next worker.

    So no match keeps a worker to itself.
    """
    wakes.clear()
    house.play_bots(desk, bots_only.loaded.id, choose)

    _match, _version, errand = wakes[-1]
    assert errand == "exhibition"
    assert len(entries(desk, bots_only)) == 1 + house.MOVES_A_JOB


def test_whatever_waits_too_long_is_woken_again(
    desk: Desk, bots_only: Opened, wakes: Wakes
) -> None:
    """The keeper finds in the journal what a lost job has left undone."""
    wakes.clear()

    assert house.sweep(desk, 10**9) == 0
    assert house.sweep(desk, 0) == 1
    assert wakes == [(bots_only.loaded.id, 1, "exhibition")]


def test_a_match_that_moves_on_is_not_woken(wakes: Wakes) -> None:
    """The wait counts from the last commit: a match at work is left alone."""
    clock = Clock()
    desk = Desk(MemoryJournal(clock=clock), SECRET, clock, lambda *wake: wakes.append(wake))
    opened = open_new(desk, Wish("calimala", bots(3)))
    clock.ahead += HOUR
    house.play_bots(desk, opened.loaded.id, choose)
    wakes.clear()

    assert house.sweep(desk, HOUR) == 0
    assert wakes == []

    clock.ahead += HOUR
    assert house.sweep(desk, HOUR) == 1


def test_a_late_job_changes_nothing(desk: Desk, bots_only: Opened) -> None:
    """A job for a match that waits for somebody else, has ended or was deleted is done at once."""
    match = bots_only.loaded.id
    house.act(desk, match)
    assert now(desk, bots_only).version == 1, "it is not the house's turn"

    play_on(desk, bots_only)
    last = now(desk, bots_only).version
    for late_job in (house.act, late_turn):
        late_job(desk, match)
    assert now(desk, bots_only).version == last

    delete(desk, match, "operator")
    for late_job in (house.act, late_turn):
        late_job(desk, match)


def late_turn(desk: Desk, match: str) -> None:
    """Do the bots' job."""
    house.go_on(desk, match, choose)


def test_a_match_that_has_failed_goes_on_whoever_must_act(
    desk: Desk, bots_only: Opened, wakes: Wakes
) -> None:
    """It is tried again by one kind of job alone, for the house as for the bots."""
    match = bots_only.loaded.id
    desk.journal.note_failure(match, "ValueError", [0])
    assert house.sweep(desk, 10**9) == 1
    assert wakes[-1] == (match, 1, "retry")

    play_to_the_house(desk, bots_only)
    before = now(desk, bots_only).version
    house.go_on(desk, match, choose)

    assert now(desk, bots_only).version == before + 1
    assert actors_of(entries(desk, bots_only))[-1] == "house"


def test_a_bot_sees_only_what_its_seat_may_see(desk: Desk, bots_only: Opened) -> None:
    """The state a bot thinks on is imagined: the same view, other hidden cards (C43)."""
    match = bots_only.loaded.match
    seen: list[tuple[Any, int]] = []

    def spy(turn: Turn) -> Thought:
        seen.append((turn.imagined, turn.seat))
        return choose(replace(turn, imagined=turn.imagined.copy()))

    house.play_bots(desk, bots_only.loaded.id, spy)

    imagined, seat = seen[0]
    assert imagined is not match.state
    assert imagined != match.state

    view_of_bot = match.game.view(imagined, seat)
    view_of_seat = match.game.view(match.state, seat)

    assert view_of_bot == view_of_seat


SPOILT = {"ahead": {"version": 9}, "of-another-stream": {"hash": "0" * 64}}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_match_kept_wrongly_is_read_anew(
    desk: Desk, bots_only: Opened, spoil: dict[str, Any]
) -> None:
    """A journal put back from a backup is the truth.

    What a process still remembers beyond it stops nobody.
    """
    desk.shelf.drop(bots_only.loaded.id)
    desk.shelf.put(replace(bots_only.loaded, **spoil))
    play_on(desk, bots_only)

    loaded = now(desk, bots_only)

    assert loaded.match.standing.status == "finished"
    assert loaded.version == len(entries(desk, bots_only))
