"""Matches for the benchmarks: of bots, and of moves that are legal in every match of one seed."""

from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from domain.chance import FastChance, pick
from service.matches import automation, moves as match_moves
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from service.store.journal.memory import memory_journal
from service.store.journal.ports import Journal
from workers.bots import choose

SEED = "benchmark"
SEATS = 3
MOVES = 250
HUMANS = [{"kind": "human"}] * SEATS
BOTS = [{"kind": "bot", "level": "random"}] * SEATS


@dataclass(frozen=True)
class SeatMove:
    """A move, with the seat that posts it."""

    seat: int
    move: dict[str, Any]


class Part(NamedTuple):
    """Consecutive moves, and the version before the first."""

    version: int
    moves: list[SeatMove]


def new_context(journal: Journal) -> Context:
    """Return a context with a clock of one second a look. It enqueues nothing."""
    clock = count(1_800_000_000_000, 1000).__next__
    return Context(journal, bytes(32), clock, enqueue=lambda *_: None, allow_seed=True)


def play_bots(ctx: Context, game: str, seed: str | None = None) -> str:
    """Play a match of bots to its revelation. Return its ID."""
    match_id = open_new(ctx, OpenRequest(game, BOTS, seed=seed)).loaded.id
    while True:
        loaded = load(ctx, match_id)
        if loaded.status.awaiting == "house":
            automation.act(ctx, match_id)
        elif loaded.status.worker == "bots":
            automation.play_bots(ctx, match_id, choose)
        else:
            return match_id


def common_moves(game: str) -> list[SeatMove]:
    """Return moves that are legal in every match of SEED: MOVES, or until the house must act."""
    return story(game, MOVES)[0].moves


@cache
def story(game: str, most: int) -> list[Part]:
    """Return so many moves of a match of SEED. The house acts after each part but the last."""
    ctx = new_context(memory_journal())
    opened = open_new(ctx, OpenRequest(game, HUMANS, seed=SEED))
    match_id = opened.loaded.id
    chance = FastChance(1)

    parts: list[Part] = []
    remaining = most
    while remaining:
        automation.act(ctx, match_id)
        loaded = load(ctx, match_id)
        assert loaded.status.seats, "the match has no more moves"
        parts.append(Part(loaded.version, []))
        while remaining and loaded.status.seats:
            seat = loaded.status.seats[0]
            legal = match_moves.legal_moves(loaded, seat)
            chosen = legal[pick(chance, [1] * len(legal))]
            match_moves.move(ctx, Submission(match_id, opened.tokens[f"seat:{seat}"]), chosen)
            parts[-1].moves.append(SeatMove(seat, chosen))
            remaining -= 1
            loaded = load(ctx, match_id)
    return parts
