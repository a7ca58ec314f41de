"""A desk over the journal in memory, and ways to play at it.

Its clock ticks a second at every look.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from service.journal.memory import MemoryJournal
from service.ledger.replay import Loaded
from service.matches import house, playing
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Opened, Wish, open_new
from service.matches.submitting import Made, Submission
from workers.bots import choose

START = 1_800_000_000_000
SECRET = b"s" * 32
Wakes = list[tuple[str, int, str]]


@pytest.fixture
def wakes() -> Wakes:
    """Whom the desk woke: match, version, work."""
    return []


@pytest.fixture
def desk(wakes: Wakes) -> Desk:
    """A desk of its own."""
    ticks: Iterator[int] = count(START, 1000)
    return Desk(
        MemoryJournal(),
        SECRET,
        clock=lambda: next(ticks),
        wake=lambda *wake: wakes.append(wake),
        allow_seed=True,
    )


@pytest.fixture
def calimala(desk: Desk) -> Opened:
    """Calimala for three humans."""
    return open_new(desk, Wish("calimala", humans(3), seed="test"))


def humans(number: int) -> list[dict[str, str]]:
    """Return as many seats of humans with names."""
    return [{"kind": "human", "name": f"Player {seat}"} for seat in range(number)]


def bots(number: int) -> list[dict[str, str]]:
    """Return as many seats of bots."""
    return [{"kind": "bot", "level": "random"} for _ in range(number)]


def by(opened: Opened, who: str, **guards: Any) -> Submission:
    """Return a submission of a caller: "owner", "seat:0"; guards: `expected` and `key`."""
    return Submission(opened.loaded.id, opened.tokens[who], **guards)


def now(desk: Desk, opened: Opened) -> Loaded:
    """Return a match at its head."""
    return load(desk, opened.loaded.id)


def first_move(desk: Desk, opened: Opened, seat: int) -> dict[str, Any]:
    """Return a seat's first legal move."""
    return playing.legal_moves(now(desk, opened), seat)[0]


def make_move(desk: Desk, opened: Opened, seat: int, **guards: Any) -> Made:
    """Make a seat's first legal move."""
    submission = by(opened, f"seat:{seat}", **guards)
    return playing.move(desk, submission, first_move(desk, opened, seat))


def play_on(desk: Desk, opened: Opened, until: int | None = None) -> None:
    """Let house and bots act, and humans make their first legal move, to the end or a version."""
    match = opened.loaded.id
    while True:
        loaded = load(desk, match)
        standing = loaded.match.standing
        if until is not None and loaded.version >= until:
            return

        if standing.work == "house":
            house.act(desk, match)
        elif standing.work == "bots":
            house.play_bots(desk, match, choose)
        elif standing.status == "running":
            make_move(desk, opened, standing.seats[0], expected=loaded.version)
        else:
            return
