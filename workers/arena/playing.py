"""One match of the arena, played by the service's own use cases on a journal in memory."""

import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from zstandard import ZstdCompressor

from domain.game import Game
from service.journal.memory import MemoryJournal
from service.keys.private_files import write_private
from service.keys.tokens import Caller
from service.ledger.replay import Loaded
from service.matches import house, records
from service.matches.desk import Desk
from service.matches.loading import load
from service.matches.opening import Wish, open_new
from service.matches.thoughts import Turn
from workers import bots
from workers.arena.fixtures import Fixture
from workers.arena.levels import Level
from workers.arena.results import Result
from workers.arena.thinking_time import ThinkingTime
from workers.bots.thinking import Thought

# A match of the arena hides nothing from anybody outside: all of it follows from a public seed.
_SECRET = b"The arena has no secrets at all."

# The times in its commits are counted, not measured, so that equal matches have equal records.
_FIRST_MS = 1_000_000_000_000  # 2001-09-09T01:46:40Z
_STEP_MS = 1_000

_PACKED = ZstdCompressor(level=9)


def play(fixture: Fixture, arena_seed: int, directory: Path) -> Result:
    """Play a match to its revelation, write its record, and return its result.

    The record is in its place whole or not at all.
    """
    desk = _new_desk()
    players = _Players(fixture.levels)
    seed = fixture.seed(arena_seed)
    seats = [{"kind": "bot", "level": level.name} for level in fixture.levels]
    match = open_new(desk, Wish(fixture.game, seats, seed=seed), key=seed).loaded.id

    while work := load(desk, match).match.standing.work:
        if work == "house":
            house.act(desk, match)
        else:
            house.play_bots(desk, match, players.choose)

    ended = load(desk, match)
    _write_record(desk, ended, directory / fixture.record)
    return _result(fixture, ended, players)


class _Players:
    """The bots at one table, and a look at the clock before and after each decision."""

    def __init__(self, levels: Sequence[Level]) -> None:
        self.levels = levels
        self.times = {str(level): ThinkingTime() for level in levels}

    def choose(self, turn: Turn) -> Thought:
        """Return what the bot at a seat thinks, and note how long it took where it had a choice.

        The match knows "quick" where the arena plays "quick:200", so the seat says which it is.
        """
        level = self.levels[turn.seat]
        has_choice = _has_choice(turn.game, turn.imagined, turn.seat)

        began = time.perf_counter()
        processor_began = time.process_time()
        thought = bots.think(turn, level.budget)
        processor = time.process_time() - processor_began
        seconds = time.perf_counter() - began

        if has_choice:
            self.times[str(level)].add(seconds, processor, thought.iterations)
        return thought


def _has_choice(game: Game[Any], imagined: Any, seat: int) -> bool:
    """Return whether a seat may do more than one thing."""
    if len(game.legal_moves(imagined, seat)) > 1:
        return True
    return bool(game.unlisted(imagined, seat))


def _new_desk() -> Desk:
    times = count(_FIRST_MS, _STEP_MS)
    return Desk(
        journal=MemoryJournal(partitions=1),
        secret=_SECRET,
        clock=lambda: next(times),
        wake=lambda *_: None,
        allow_seed=True,
    )


def _write_record(desk: Desk, ended: Loaded, path: Path) -> None:
    """Write a match's record, compressed as `giornale verify` reads it."""
    lines = b"".join(records.lines_of(desk, ended, Caller()))
    write_private(path, _PACKED.compress(lines), replace=True)


def _result(fixture: Fixture, ended: Loaded, players: _Players) -> Result:
    match = ended.match
    outcome = match.game.outcome(match.state)
    return Result(
        fixture=fixture,
        match=ended.id,
        rules=match.rules,
        commits=ended.version,
        ranks=outcome.ranks if outcome else (),
        points=outcome.points if outcome else (),
        times=players.times,
    )
