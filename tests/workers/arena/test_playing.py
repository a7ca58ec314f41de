"""A match of the arena is a whole match: recorded, revealed, and the same in any process."""

import multiprocessing
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from zstandard import ZstdDecompressor

from domain.chance import Chance
from domain.game import Game
from domain.games import GAMES
from service.cli.verify import check_files
from service.ledger import record
from service.verify.audit import verify_record
from workers import bots
from workers.arena.fixtures import Fixture, MatchFailed, fixtures, parse_pair
from workers.arena.playing import play, run
from workers.arena.results import Result
from workers.bots.players import Budget, Thought

PAIR = parse_pair("random,greedy")


def played(directory: Path, game: str, pair: str = "random,greedy", number: int = 2) -> Result:
    """Return the result of a match of the fewest seats, by the seed 1."""
    seats = GAMES[game].seats[0]
    return play(Fixture(game, seats, parse_pair(pair), number), 1, directory)


def lines(directory: Path, result: Result) -> list[bytes]:
    """Return the lines of a match's record."""
    packed = (directory / result.fixture.record).read_bytes()
    return record.lines(ZstdDecompressor().decompress(packed))


def records(directory: Path) -> dict[Path, bytes]:
    """Return all files by their paths in the directory."""
    files = [path for path in directory.rglob("*") if path.is_file()]
    return {path.relative_to(directory): path.read_bytes() for path in files}


@pytest.mark.parametrize("game", GAMES)
def test_the_record_is_right(tmp_path: Path, game: str) -> None:
    """All of it is checked, also as a file; it ends as the result says, and is all that is left."""
    result = played(tmp_path, game)
    audit = verify_record(lines(tmp_path, result))
    report = audit.report

    assert report.verdict == "right"
    assert (report.match, report.commits) == (result.match, result.commits)
    assert report.rules == result.rules
    assert report.outcome == {"points": list(result.points), "ranks": list(result.ranks)}

    assert audit.loaded is not None
    levels = [seat.level for seat in audit.loaded.match.seats]
    assert levels == [level.name for level in result.fixture.levels]

    assert list(records(tmp_path)) == [result.fixture.record]
    [checked] = check_files([str(tmp_path / result.fixture.record)], 1, lambda _more: None)
    assert (checked.verdict, checked.right) == ("right", 1)


def test_a_fixed_number_of_iterations_makes_the_same_match(tmp_path: Path) -> None:
    """A search that counts instead of looking at the clock plays the same record again."""
    first = played(tmp_path / "first", "firenze", "random,quick:4")
    second = played(tmp_path / "second", "firenze", "random,quick:4")
    other = played(tmp_path / "second", "firenze", "random,quick:4", number=1)

    assert lines(tmp_path / "first", first) == lines(tmp_path / "second", second)
    assert first.match == second.match != other.match

    time_spent = first.times["quick:4"]
    assert 0 < time_spent.iterations <= 4 * time_spent.decisions
    assert first.times["random"].iterations == 0


def test_only_choices_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move that is the only one takes no thought, and would hide how long the others take."""
    asked = 0

    def think(
        game: Game[Any], imagined: Any, seat: int, chance: Chance, _budget: Budget
    ) -> Thought:
        nonlocal asked
        has_choice = len(game.legal_moves(imagined, seat)) > 1
        asked += has_choice or bool(game.unlisted(imagined, seat))
        return Thought(game.random_move(imagined, seat, chance))

    monkeypatch.setitem(bots.LEVELS, "random", (think, Budget(seconds=0.0)))
    began = time.perf_counter()
    result = played(tmp_path, "calimala")
    elapsed = time.perf_counter() - began

    measured = result.times["random"]
    assert measured.decisions == sum(measured.counts.values()) == asked > 0
    assert 0 < measured.longest < elapsed


# ---- in several processes ------------------------------------------------------------------------


def without_times(results: list[Result]) -> list[Result]:
    """Return results without what differs from one run to the next."""
    return [replace(one, times={}) for one in results]


def test_two_processes_play_what_one_plays(tmp_path: Path) -> None:
    """Records are equal to the byte, and results but for the time that they took."""
    planned = list(fixtures({"firenze": [2]}, [PAIR], 3))
    alone = [play(fixture, 1, tmp_path / "alone") for fixture in planned]
    together = list(run(planned, 1, tmp_path / "together", 2))
    together.sort(key=lambda result: result.fixture.number)

    assert without_times(together) == without_times(alone)
    assert records(tmp_path / "alone") == records(tmp_path / "together")
    assert len(records(tmp_path / "alone")) == len(planned)
    assert list(run([], 1, tmp_path, 2)) == []


def test_no_process_is_left_and_a_killed_one_is_reported(tmp_path: Path) -> None:
    """Neither by an arena that is not wanted any more, nor by a match that cannot be played."""
    endless = list(fixtures({"firenze": [2]}, [PAIR], 2000))
    results = run(endless, 1, tmp_path, 1)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []

    unplayable = Fixture("firenze", 9, PAIR, 1)
    with pytest.raises(MatchFailed, match="Firenze takes 2 to 4 seats, not 9"):
        list(run([unplayable], 1, tmp_path, 1))
    assert multiprocessing.active_children() == []

    results = run(endless, 1, tmp_path, 1)
    next(results)
    [process] = multiprocessing.active_children()
    process.kill()
    with pytest.raises(MatchFailed, match="ended from outside"):
        list(results)
