"""A context over the journal in memory, and ways to play at it.

Each reading of the context's clock advances it by a second.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from service.matches import automation, moves
from service.matches.access import Access, enter_as_operator
from service.matches.command_handler import Committed, Submission
from service.matches.context import Context
from service.matches.opening import NewMatch, OpenRequest, open_new
from service.matches.repository import load
from service.record.replay import Loaded
from service.store.journal.memory import memory_journal
from service.store.journal.ports import Journal
from service.store.keys.tokens import Caller
from workers.bots import choose

START = 1_800_000_000_000
SECRET = b"s" * 32
Wakes = list[tuple[str, int, str]]


class Clock:
    """A clock that stands still until it is set."""

    now = START

    def __call__(self) -> int:
        """Return the time in milliseconds."""
        return self.now


@pytest.fixture
def wakes() -> Wakes:
    """The jobs of the context: match, version, work."""
    return []


def context_over(journal: Journal, wakes: Wakes | None = None) -> Context:
    """Return a context with an empty cache."""
    ticks: Iterator[int] = count(START, 1000)
    woken = [] if wakes is None else wakes
    return Context(
        journal,
        SECRET,
        clock=lambda: next(ticks),
        enqueue=lambda *wake: woken.append(wake),
        allow_seed=True,
    )


@pytest.fixture
def ctx(wakes: Wakes) -> Context:
    """A context over an empty journal."""
    return context_over(memory_journal(), wakes)


@pytest.fixture
def calimala(ctx: Context) -> NewMatch:
    """Calimala for three humans."""
    return open_new(ctx, OpenRequest("calimala", humans(3), seed="test"))


def humans(number: int) -> list[dict[str, str]]:
    """Return as many seats of humans with names."""
    return [{"kind": "human", "name": f"Player {seat}"} for seat in range(number)]


def bots(number: int) -> list[dict[str, str]]:
    """Return as many seats of bots."""
    return [{"kind": "bot", "level": "random"} for _ in range(number)]


def by(opened: NewMatch, who: str, **guards: Any) -> Submission:
    """Return a submission of a caller: "owner", "seat:0"; guards: `expected` and `key`."""
    return Submission(opened.loaded.id, opened.tokens[who], **guards)


def now(ctx: Context, opened: NewMatch) -> Loaded:
    """Return a match at its head."""
    return load(ctx, opened.loaded.id)


def as_caller(ctx: Context, match: str, caller: Caller) -> Access:
    """Return the access of a caller to a match."""
    return replace(enter_as_operator(ctx, match), caller=caller)


def first_move(ctx: Context, opened: NewMatch, seat: int) -> dict[str, Any]:
    """Return a seat's first legal move."""
    return moves.legal_moves(now(ctx, opened), seat)[0]


def make_move(ctx: Context, opened: NewMatch, seat: int, **guards: Any) -> Committed:
    """Make a seat's first legal move."""
    submission = by(opened, f"seat:{seat}", **guards)
    return moves.move(ctx, submission, first_move(ctx, opened, seat))


def play_on(ctx: Context, opened: NewMatch, until: int | None = None) -> None:
    """Let house and bots act, and humans make their first legal move, to the end or a version."""
    match = opened.loaded.id
    while True:
        loaded = load(ctx, match)
        status = loaded.match.status
        if until is not None and loaded.version >= until:
            return

        if status.awaiting == "house":
            automation.act(ctx, match)
        elif status.worker == "bots":
            automation.play_bots(ctx, match, choose)
        elif status.name == "running":
            make_move(ctx, opened, status.seats[0], expected=loaded.version)
        else:
            return
