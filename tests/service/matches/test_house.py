"""The house and the bots act exactly once, whoever does it and however often it is asked for."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from service.journal.memory import MemoryJournal
from service.ledger.commit import StoredCommit, parse_commit
from service.matches import house
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Opened, Wish, open_new
from tests.service.matches.conftest import START, Wakes, bots, play_on
from workers.bots import choose


@pytest.fixture
def bots_only(desk: Desk) -> Opened:
    """Calimala among bots."""
    return open_new(desk, Wish("calimala", bots(3), seed="bots"))


def to_the_house(desk: Desk, opened: Opened) -> None:
    """Let the bots play until the house must act."""
    while load(desk, opened.loaded.id).match.standing.work == "bots":
        house.play_bots(desk, opened.loaded.id, choose)


def entries(desk: Desk, opened: Opened) -> list[StoredCommit]:
    return [parse_commit(data) for data in desk.journal.read(opened.loaded.id)]


def test_bots_play_by_themselves_to_the_end(desk: Desk, bots_only: Opened) -> None:
    """A match of bots needs nobody; its last commit is the revelation (M9)."""
    play_on(desk, bots_only)
    loaded = load(desk, bots_only.loaded.id)
    assert (loaded.match.standing.status, loaded.match.standing.work) == ("finished", "")


def test_a_job_wakes_its_successor_once_and_not_once_a_move(
    desk: Desk, bots_only: Opened, wakes: Wakes
) -> None:
    """Who goes on by himself wakes nobody for it; otherwise a match of bots would flood the queue."""
    wakes.clear()
    house.play_bots(desk, bots_only.loaded.id, choose)
    version = load(desk, bots_only.loaded.id).version
    assert version > 20
    assert wakes == [
        (bots_only.loaded.id, version, load(desk, bots_only.loaded.id).match.standing.errand)
    ]


def test_the_same_job_twice_at_once_scores_once(desk: Desk, bots_only: Opened) -> None:
    """Eight workers get the job of the same scoring phase: one commit settles it (C38)."""
    to_the_house(desk, bots_only)
    before = len(entries(desk, bots_only))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: house.act(desk, bots_only.loaded.id), range(8)))
    after = entries(desk, bots_only)[before:]
    assert [entry["commit"]["actor"] for entry in after] == ["house"]


def test_the_same_bots_turn_twice_at_once_is_made_once(desk: Desk, bots_only: Opened) -> None:
    """Eight workers get the job of the same turn: the history is that of one worker alone."""
    alone = Desk(MemoryJournal(), desk.secret, desk.clock, desk.wake, allow_seed=True)
    twin = open_new(alone, Wish("calimala", bots(3), seed="bots"))
    to_the_house(alone, twin)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: house.play_bots(desk, bots_only.loaded.id, choose), range(8)))
    to_the_house(desk, bots_only)
    commands = [
        [entry["commit"]["command"] for entry in entries(d, o)]
        for d, o in ((desk, bots_only), (alone, twin))
    ]
    assert commands[0][1:] == commands[1][1:]


def test_a_long_turn_of_bots_is_handed_on(desk: Desk, bots_only: Opened, wakes: Wakes) -> None:
    """A job makes a bounded number of moves and wakes the next worker, so that no match keeps a worker to itself."""
    wakes.clear()
    house.play_bots(desk, bots_only.loaded.id, choose)
    assert wakes[-1][2] == "exhibition"
    assert len(entries(desk, bots_only)) == 1 + house.MOVES_A_JOB


def test_whatever_waits_too_long_is_woken_again(
    desk: Desk, bots_only: Opened, wakes: Wakes
) -> None:
    """The keeper finds in the journal what a lost job has left undone."""
    wakes.clear()
    assert house.sweep(desk, 10**9) == 0
    assert house.sweep(desk, 0) == 1
    assert wakes == [(bots_only.loaded.id, 1, "exhibition")]


def test_a_match_that_moves_on_is_not_woken(desk: Desk, bots_only: Opened, wakes: Wakes) -> None:
    """The wait counts from the last commit: a match at work is left alone."""
    to_the_house(desk, bots_only)
    wakes.clear()
    age = desk.clock() - START
    assert house.sweep(desk, age) == 0
    assert wakes == []


def test_a_bot_sees_only_what_its_seat_may_see(desk: Desk, bots_only: Opened) -> None:
    """The state a bot thinks on is imagined: the same view, other hidden cards (C43)."""
    match = bots_only.loaded.match
    seen: list[Any] = []

    def spy(level: str, game: Any, imagined: Any, seat: int, chance: Any) -> Any:
        seen.append((imagined, seat))
        return choose(level, game, imagined.copy(), seat, chance)

    house.play_bots(desk, bots_only.loaded.id, spy)
    imagined, seat = seen[0]
    assert imagined is not match.state
    assert match.game.view(imagined, seat) == match.game.view(match.state, seat)
    assert imagined != match.state


@pytest.mark.parametrize(
    "spoil", [{"version": 9}, {"hash": "0" * 64}], ids=["ahead", "of-another-stream"]
)
def test_a_match_kept_wrongly_is_read_anew(
    desk: Desk, bots_only: Opened, spoil: dict[str, Any]
) -> None:
    """A journal put back from a backup is the truth: what a process still remembers beyond it stops nobody."""
    desk.shelf.drop(bots_only.loaded.id)
    desk.shelf.put(replace(bots_only.loaded, **spoil))
    play_on(desk, bots_only)
    loaded = load(desk, bots_only.loaded.id)
    assert (loaded.match.standing.status, len(entries(desk, bots_only))) == (
        "finished",
        loaded.version,
    )
