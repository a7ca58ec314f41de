"""Matches of the arena, played by the service's own use cases on journals in memory.

Each is played in one of several processes, which end when the first one does.
"""

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from zstandard import ZstdCompressor

from domain.game import AnyGame
from service.journal.memory import memory_journal
from service.keys.private_files import write_private
from service.ledger.replay import Loaded
from service.matches import automation, records
from service.matches.access import enter_as_operator
from service.matches.bots import Turn
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from workers import bots
from workers.arena.fixtures import Fixture, Level, MatchFailed
from workers.arena.results import Result, ThinkingTime
from workers.bots.players import Thought

# A match of the arena hides nothing from anybody outside: all of it follows from a public seed.
_SECRET = b"The arena has no secrets at all."

# The times in its commits are counted, not measured, so that equal matches have equal records.
_FIRST_MS = 1_000_000_000_000  # 2001-09-09T01:46:40Z
_STEP_MS = 1_000

_PACKED = ZstdCompressor(level=9)

_NICENESS = 10  # so that a machine with an arena on it can be used for other things


def run(
    fixtures: Sequence[Fixture], arena_seed: int, directory: Path, processes: int
) -> Iterator[Result]:
    """Play matches and yield their results as they come.

    If the caller stops, or a match fails, the processes are ended at once and the matches they are
    at are given up. Raises MatchFailed.
    """
    context = multiprocessing.get_context("spawn")
    until_closed, held_open = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(
        max_workers=min(processes, len(fixtures)) or 1,
        mp_context=context,
        initializer=_begin,
        initargs=(until_closed,),
    )
    try:
        futures = [executor.submit(_play, one, arena_seed, directory) for one in fixtures]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise MatchFailed("a process of the arena was ended from outside") from None
    except BaseException:
        # The processes end by themselves, at once. Otherwise they would finish their matches first.
        held_open.close()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        held_open.close()
        until_closed.close()


def _play(fixture: Fixture, arena_seed: int, directory: Path) -> Result:
    """Play a match; raises MatchFailed, as not every error can pass from process to process."""
    try:
        return play(fixture, arena_seed, directory)
    except Exception:  # noqa: BLE001 - whatever is wrong with a bot or a game
        raise MatchFailed(f"{fixture.record} failed\n{traceback.format_exc()}") from None


def _begin(until_closed: Connection) -> None:
    """Prepare a new process: it gives way to others, and Ctrl-C is its parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    watcher = threading.Thread(target=_end_with_parent, args=(until_closed,), daemon=True)
    watcher.start()


def _end_with_parent(until_closed: Connection) -> None:
    """End this process as soon as its parent closes the other end, or has ended."""
    until_closed.poll(None)
    os._exit(0)


# ---- one match -----------------------------------------------------------------------------------


def play(fixture: Fixture, arena_seed: int, directory: Path) -> Result:
    """Play a match to its revelation, write its record, and return its result.

    The record is in its place whole or not at all.
    """
    ctx = _new_context()
    players = _Players(fixture.levels)
    seed = fixture.seed(arena_seed)
    seats = [{"kind": "bot", "level": level.name} for level in fixture.levels]
    match = open_new(ctx, OpenRequest(fixture.game, seats, seed=seed), key=seed).loaded.id

    while awaiting := load(ctx, match).status.awaiting:
        if awaiting == "house":
            automation.act(ctx, match)
        else:
            automation.play_bots(ctx, match, players.choose)

    ended = load(ctx, match)
    _write_record(ctx, ended, directory / fixture.record)
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


def _has_choice(game: AnyGame, imagined: Any, seat: int) -> bool:
    """Return whether a seat may do more than one thing."""
    if len(game.legal_moves(imagined, seat)) > 1:
        return True
    return bool(game.unlisted(imagined, seat))


def _new_context() -> Context:
    times = count(_FIRST_MS, _STEP_MS)
    return Context(
        journal=memory_journal(partitions=1),
        secret=_SECRET,
        clock=lambda: next(times),
        enqueue=lambda *_: None,
        allow_seed=True,
    )


def _write_record(ctx: Context, ended: Loaded, path: Path) -> None:
    """Write a match's record, compressed as `giornale verify` reads it."""
    lines = b"".join(records.lines_of(ctx, enter_as_operator(ctx, ended.id)))
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
