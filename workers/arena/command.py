"""`giornale arena`: levels of bots play each other, with tables and a picture of their strength."""

import hashlib
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import click
from zstandard import ZstdCompressor

import domain
from domain.game import AnyGame
from domain.games import GAMES
from service.base.private_files import remove_drafts, write_private
from service.base.release import with_extra
from service.matches import automation, records
from service.matches.access import enter_as_operator
from service.matches.bots import Turn
from service.matches.context import Context
from service.matches.opening import OpenRequest, open_new
from service.matches.repository import load
from service.ops.cli.bars import counting_bar, on_terminal
from service.record.replay import Loaded
from service.store.journal.memory import memory_journal
from workers import bots
from workers.arena import report, results as arena_results
from workers.arena.fixtures import (
    RECORD_SUFFIX,
    ArenaError,
    BadRequest,
    Contender,
    Fixture,
    MatchFailed,
    Pair,
    demand_offered,
    fixtures,
    pairs_among,
    parse_levels,
    parse_pair,
    seats_of,
)
from workers.arena.results import FixtureResult, ThinkingTime
from workers.bots import LEVELS
from workers.bots.players import MoveChoice

STOPPED = 130  # exit code of a shell for a program ended by Ctrl-C

_MOST_MATCHES = 1_000_000
_MOST_PROCESSES = 256
_NEEDED = ("matplotlib",)

_SECONDS_BETWEEN_LINES = 30.0

# Endings of files that decide about moves: code, and tables such as boards and weights of bots.
_DECIDING = (".py", ".json")


@click.command()
@click.argument("games", metavar="[GAME]...", nargs=-1, type=click.Choice(list(GAMES)))
@click.option(
    "--levels",
    metavar="A,B,...",
    help=f"Play every pair of these levels. quick:200 thinks 200 iterations about every move. "
    f"Default: {','.join(LEVELS)}, as far as the game has them.",
)
@click.option(
    "--pair",
    "pairs",
    metavar="A,B",
    multiple=True,
    help="Play this pair only, such as strong,greedy. Repeatable.",
)
@click.option(
    "--seats",
    type=int,
    multiple=True,
    help="Number of seats. Repeatable. Default: all that the game takes.",
)
@click.option(
    "--matches",
    type=click.IntRange(1, _MOST_MATCHES),
    default=400,
    show_default=True,
    help="Matches of each pair at each number of seats.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Seed of every draw of every match.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, _MOST_PROCESSES),
    default=1,
    show_default=True,
    help="Number of matches played at once.",
)
@click.option(
    "--out",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("var/arena"),
    show_default=True,
    help="Directory of records and results. Matches in it are not played again.",
)
@click.option(
    "--report",
    "only_report",
    is_flag=True,
    help="Play nothing. Report the results in the directory.",
)
def arena(**options: Any) -> None:
    """Let levels of bots play each other.

    GAME is one game or several. Default: all. A stopped arena goes on where it was when the same
    command is given again. Ends with 0 when all is played, 130 when it was stopped.
    """
    chosen = Options(**options)
    _demand_packages()
    try:
        is_finished = chosen.only_report or _play_missing(chosen)
        _report(chosen.directory)
    except (ArenaError, OSError) as error:
        raise click.ClickException(str(error)) from None

    if not is_finished:
        click.echo("The arena was stopped. The same command continues it.", err=True)
        sys.exit(STOPPED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of the command. Their help explains the fields."""

    games: tuple[str, ...]
    levels: str | None
    pairs: tuple[str, ...]
    seats: tuple[int, ...]
    matches: int
    seed: int
    jobs: int
    directory: Path
    only_report: bool

    def fixtures(self) -> list[Fixture]:
        """Return all planned matches. Raises BadRequest."""
        games = list(dict.fromkeys(self.games)) or list(GAMES)
        pairs = self._chosen_pairs()
        if self.pairs or self.levels:
            for game in self.games:
                demand_offered(GAMES[game], pairs)
        return list(fixtures(seats_of(games, self.seats), pairs, self.matches))

    def _chosen_pairs(self) -> list[Pair]:
        if self.pairs and self.levels:
            raise BadRequest("give either --levels for all their pairs, or --pair for each one")
        if self.pairs:
            return list(dict.fromkeys(parse_pair(text) for text in self.pairs))
        return pairs_among(parse_levels(self.levels or ",".join(LEVELS)))


def _play_missing(chosen: Options) -> bool:
    """Play the missing matches. Return True if all were played, False if the arena was stopped."""
    planned = chosen.fixtures()
    player = software()  # the code may be changed while the arena runs
    with arena_results.opened_store(chosen.directory, chosen.seed) as opened:
        played = {result.fixture for result in opened.results}
        missing = [one for one in planned if one not in played]
        _remove_left(chosen.directory)
        click.echo(_beginning(len(planned), len(missing)), err=True)
        try:
            with _stopped_by_sigterm(), shown_progress(len(missing)) as step:
                for result in run(missing, chosen.seed, chosen.directory, chosen.jobs):
                    opened.add(replace(result, software=player))
                    step()
        except KeyboardInterrupt:
            return False
    return True


def _remove_left(directory: Path) -> None:
    """Remove the drafts of records left by a killed arena, and report them."""
    for folder in sorted(directory.glob("*/*/*/")):
        for draft in remove_drafts(folder / f"any{RECORD_SUFFIX}"):
            click.echo(f"removed {draft}, left by a killed arena", err=True)


def _beginning(planned: int, missing: int) -> str:
    if missing == planned:
        return f"{planned} matches are to be played."
    return f"{planned - missing} of {planned} matches are already played."


def _report(directory: Path) -> None:
    """Write the report on the results in a directory, and print its tables. Raises ArenaError."""
    results = arena_results.read(directory)
    click.echo(report.write(results, arena_results.seed_in(directory), directory))
    click.echo(f"\n{directory / report.PAGE} and {directory / report.PICTURE} are written.")


def _demand_packages() -> None:
    """Raise an error if packages for the report are missing, before matches take hours."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f"the arena needs {' and '.join(missing)}: install the wheel with "
            f'"arena", {with_extra("arena")}'
        )


@contextmanager
def _stopped_by_sigterm() -> Iterator[None]:
    """Let SIGTERM stop the arena as Ctrl-C does."""
    usual = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, usual)


# ---- the software of the players -----------------------------------------------------------------


@cache
def software() -> str:
    """Return the release and a digest of the code, such as "0.2.0 (code 5f2d0c81)".

    The digest covers the code of games and bots. Matches with another release or digest may have
    been played by other bots, or by other rules.
    """
    folders = [Path(package.__path__[0]) for package in (domain, bots)]
    return f"{version('giornale')} (code {digest_of(folders)})"


def digest_of(folders: Iterable[Path]) -> str:
    """Return the first 8 hex digits of the SHA-256 of the files that decide about moves."""
    digest = hashlib.sha256()
    for folder in folders:
        sources = [path for path in folder.rglob("*") if path.suffix in _DECIDING]
        for source in sorted(sources):
            digest.update(str(source.relative_to(folder)).encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:8]


# ---- progress ------------------------------------------------------------------------------------


@contextmanager
def shown_progress(matches: int) -> Iterator[Callable[[], None]]:
    """Yield a function that shows the progress on standard error. Call it after each match.

    matches: number of all matches.
    """
    if on_terminal():
        with counting_bar("matches", matches) as advance:
            yield lambda: advance(1)
    else:
        yield _Lines(matches).step


class _Lines:
    """Lines with the number of matches played and the time left."""

    def __init__(self, matches: int) -> None:
        self.matches = matches
        self.played = 0
        self.began = self.shown_at = time.monotonic()

    def step(self) -> None:
        """Count a match. Write a line if the match is the last, or the last line is old enough."""
        self.played += 1
        now = time.monotonic()
        is_last = self.played == self.matches
        if now - self.shown_at < _SECONDS_BETWEEN_LINES and not is_last:
            return

        self.shown_at = now
        minutes_left = (now - self.began) / self.played * (self.matches - self.played) / 60
        rest = "" if is_last else f", about {minutes_left:.0f} minutes left"
        click.echo(f"{self.played} of {self.matches} matches are played{rest}", err=True)


# ---- the matches, played by the use cases on journals in memory ----------------------------------


# Matches of the arena hide nothing: all draws follow from the public seed of the arena.
_SECRET = b"The arena has no secrets at all."

# The times of commits are counted, not measured, so that equal matches have equal records.
_FIRST_MS = 1_000_000_000_000  # 2001-09-09T01:46:40Z
_STEP_MS = 1_000

_PACKED = ZstdCompressor(level=9)

_NICENESS = 10  # so that other programs of the machine come first


def run(
    schedule: Sequence[Fixture], arena_seed: int, directory: Path, processes: int
) -> Iterator[FixtureResult]:
    """Play matches and yield their results as they come. Raises MatchFailed.

    If the caller stops, or a match fails, the processes end at once, amid their matches.
    """
    context = multiprocessing.get_context("spawn")
    until_closed, held_open = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(
        max_workers=min(processes, len(schedule)) or 1,
        mp_context=context,
        initializer=_begin,
        initargs=(until_closed,),
    )
    try:
        futures = [executor.submit(_play_apart, one, arena_seed, directory) for one in schedule]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise MatchFailed("a process of the arena was killed") from None
    except BaseException:
        # This ends the processes at once. Otherwise they would finish their matches first.
        held_open.close()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        held_open.close()
        until_closed.close()


def _play_apart(fixture: Fixture, arena_seed: int, directory: Path) -> FixtureResult:
    """Play a match. Raises MatchFailed for any error: some errors cannot pass between processes."""
    try:
        return play(fixture, arena_seed, directory)
    except Exception:  # noqa: BLE001 - any fault of a bot or a game
        raise MatchFailed(f"{fixture.record} failed\n{traceback.format_exc()}") from None


def _begin(until_closed: Connection) -> None:
    """Prepare a new process: lower its priority, and leave Ctrl-C to its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    watcher = threading.Thread(target=_end_with_parent, args=(until_closed,), daemon=True)
    watcher.start()


def _end_with_parent(until_closed: Connection) -> None:
    """End this process as soon as its parent closes the other end, or has ended."""
    until_closed.poll(None)
    os._exit(0)


# ---- one match -----------------------------------------------------------------------------------


def play(fixture: Fixture, arena_seed: int, directory: Path) -> FixtureResult:
    """Play a match to its revelation, write its record, and return its result."""
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
    """The bots of one match, and the times of their decisions."""

    def __init__(self, levels: Sequence[Contender]) -> None:
        self.levels = levels
        self.times = {str(level): ThinkingTime() for level in levels}

    def choose(self, turn: Turn) -> MoveChoice:
        """Return the choice of the bot at a seat. Note the time if there was more than one choice.

        The match stores only "quick" for "quick:200", so look the level up by seat.
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
    """Return True if a seat has more than one legal move."""
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


def _result(fixture: Fixture, ended: Loaded, players: _Players) -> FixtureResult:
    match = ended.match
    outcome = match.game.outcome(match.state)
    return FixtureResult(
        fixture=fixture,
        match=ended.id,
        rules=match.rules,
        commits=ended.version,
        ranks=outcome.ranks if outcome else (),
        points=outcome.points if outcome else (),
        times=players.times,
    )
