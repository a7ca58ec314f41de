"""A desk over the journal in memory, with a clock that ticks a second at every look, and ways to play at it."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from service.journal.memory import MemoryJournal
from service.matches import house, playing
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Opened, Wish, open_new
from service.matches.submitting import Submission
from workers.bots import choose

START = 1_800_000_000_000
Wakes = list[tuple[str, int, str]]


@pytest.fixture
def wakes() -> Wakes:
    """Whom the desk woke."""
    return []


@pytest.fixture
def desk(wakes: Wakes) -> Desk:
    """A desk of its own."""
    ticks: Iterator[int] = count(START, 1000)
    return Desk(
        MemoryJournal(),
        b"s" * 32,
        lambda: next(ticks),
        lambda *wake: wakes.append(wake),
        allow_seed=True,
    )


def humans(number: int) -> list[dict[str, str]]:
    return [{"kind": "human", "name": f"Player {seat}"} for seat in range(number)]


def bots(number: int) -> list[dict[str, str]]:
    return [{"kind": "bot", "level": "random"} for _ in range(number)]


Open = Callable[..., Opened]


@pytest.fixture
def calimala(desk: Desk) -> Opened:
    """Calimala for three humans."""
    return open_new(desk, Wish("calimala", humans(3), seed="test"))


def play_on(desk: Desk, opened: Opened, until: int | None = None) -> None:
    """Let house and bots act and the humans make their first legal move, to the end or to a version."""
    match = opened.loaded.id
    while True:
        loaded = load(desk, match)
        if until is not None and loaded.version >= until:
            return
        if loaded.match.standing.work == "house":
            house.act(desk, match)
        elif loaded.match.standing.work == "bots":
            house.play_bots(desk, match, choose)
        elif loaded.match.standing.status == "running":
            seat = loaded.match.standing.actors[0]
            move = playing.legal_moves(loaded, seat)[0]
            playing.move(
                desk,
                Submission(match, opened.tokens[f"seat:{seat}"], expected=loaded.version),
                move,
            )
        else:
            return
