"""A match of the arena is a whole match: recorded, revealed, and right to the last shuffle."""

import time
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
from workers.arena.fixtures import Fixture, parse_pair
from workers.arena.playing import play
from workers.arena.results import Result
from workers.bots.players import Budget, Thought

SEARCHING = "random,quick:4"


def played(directory: Path, game: str, pair: str = "random,greedy", number: int = 2) -> Result:
    """Return the result of a match of the fewest seats, by the seed 1."""
    seats = GAMES[game].seats[0]
    return play(Fixture(game, seats, parse_pair(pair), number), 1, directory)


def lines(directory: Path, result: Result) -> list[bytes]:
    """Return the lines of a match's record."""
    packed = (directory / result.fixture.record).read_bytes()
    return record.lines(ZstdDecompressor().decompress(packed))


@pytest.mark.parametrize("game", GAMES)
def test_the_record_is_right(tmp_path: Path, game: str) -> None:
    """All of it can be checked and is right, and it ends as the result says."""
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


def test_the_verify_command_reads_the_file(tmp_path: Path) -> None:
    """The compressed record is a dump of one match."""
    result = played(tmp_path, "firenze")
    [checked] = check_files([str(tmp_path / result.fixture.record)], 1, lambda _more: None)

    assert (checked.verdict, checked.right) == ("right", 1)


def test_nothing_is_left_beside_the_record(tmp_path: Path) -> None:
    """The file under which it was written first has gone."""
    result = played(tmp_path, "firenze")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]

    assert files == [tmp_path / result.fixture.record]


def test_a_fixed_number_of_iterations_makes_the_same_match(tmp_path: Path) -> None:
    """A search that counts instead of looking at the clock plays the same record again."""
    first = played(tmp_path / "first", "firenze", SEARCHING)
    second = played(tmp_path / "second", "firenze", SEARCHING)

    assert lines(tmp_path / "first", first) == lines(tmp_path / "second", second)
    assert first.match == second.match

    time_spent = first.times["quick:4"]
    assert 0 < time_spent.iterations <= 4 * time_spent.decisions
    assert first.times["random"].iterations == 0


def test_other_numbers_are_other_matches(tmp_path: Path) -> None:
    """The seed of a match holds its number."""
    assert played(tmp_path, "firenze", number=1).match != played(tmp_path, "firenze").match


def test_each_level_thinks_within_its_own_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match between two budgets of one level keeps them apart, though its record cannot."""
    budgets = set()

    def think(game: Game[Any], imagined: Any, seat: int, chance: Chance, budget: Budget) -> Thought:
        budgets.add((seat, budget.iterations))
        return Thought(game.random_move(imagined, seat, chance), iterations=budget.iterations or 0)

    monkeypatch.setitem(bots.LEVELS, "quick", (think, Budget(seconds=0.1)))
    result = played(tmp_path, "firenze", "quick:2,quick:7")

    assert budgets == {(0, 7), (1, 2)}
    assert result.times["quick:7"].iterations == 7 * result.times["quick:7"].decisions


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
