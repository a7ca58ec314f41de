"""Matches of the arena: their seats and records. Each match depends on itself alone."""

import multiprocessing
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from zstandard import ZstdDecompressor

from domain.chance import Chance
from domain.game import Game
from domain.games import GAMES
from service.record import record
from service.record.verify.audit import verify_record
from workers import bots
from workers.arena.command import play, run
from workers.arena.fixtures import (
    BadRequest,
    Contender,
    Fixture,
    MatchFailed,
    fixtures,
    pairs_among,
    parse_level,
    parse_levels,
    parse_pair,
)
from workers.arena.results import FixtureResult
from workers.bots import LEVELS
from workers.bots.players import Budget, MoveChoice

PAIR = parse_pair("random,greedy")
OTHER_PAIR = parse_pair("random,quick:5")

# ---- levels and pairs ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "level", "budget"),
    [
        (" strong ", Contender("strong"), LEVELS["strong"][1]),
        ("strong:7", Contender("strong", 7), Budget(iterations=7, careful=True)),
    ],
)
def test_a_level_is_read_and_written(text: str, level: Contender, budget: Budget) -> None:
    """With a number of iterations a level keeps its care and loses its time limit."""
    assert parse_level(text) == level
    assert str(level) == text.strip()
    assert level.budget == budget


def test_the_weaker_level_of_a_pair_comes_first() -> None:
    """So a pair has one place and one seed. Levels of one name are ordered by iterations."""
    weakest_first = parse_levels("random,greedy,quick:20,quick:300,quick,strong")
    pairs = pairs_among(weakest_first[::-1])

    assert len(set(pairs)) == 15
    for one in pairs:
        assert weakest_first.index(one[0]) < weakest_first.index(one[1])
    with pytest.raises(BadRequest, match="named twice"):
        parse_pair("greedy,greedy")


# ---- what is played ------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_each_level_holds_each_seat_alone_equally_often(seats: int) -> None:
    """In twice as many matches as there are seats, each level is alone at each seat once."""
    planned = list(fixtures({"calimala": [seats]}, [PAIR], 2 * seats))
    alone = Counter((fixture.odd_level, fixture.odd_seat) for fixture in planned)

    assert alone == {(level, seat): 1 for level in PAIR for seat in range(seats)}
    for fixture in planned:
        assert fixture.levels.count(fixture.odd_level) == 1 or seats == 2
        assert fixture.levels[fixture.odd_seat] == fixture.odd_level


def test_a_match_depends_on_nothing_else_that_is_planned() -> None:
    """Each match of a small arena is one of a larger one, too. Each has its own seed."""
    small = set(fixtures({"calimala": [3]}, [PAIR], 3))
    larger = list(fixtures({"firenze": [2], "calimala": [3, 4]}, [OTHER_PAIR, PAIR], 5))
    seeds = {fixture.seed(arena_seed) for fixture in larger for arena_seed in (1, 2)}

    assert small < set(larger)
    assert len(seeds) == 2 * len(larger)
    assert Fixture("firenze", 3, PAIR, 1).seed(1) == (
        "846c48d0770dc03f2dfedfcf13156a7c7d8f70b36a42c834e40bf0e880b1d8d9"
    )
    numbers = [fixture.number for fixture in larger]
    assert numbers == sorted(numbers), "the first matches of all pairs come before the second"


# ---- one match -----------------------------------------------------------------------------------


def played(
    directory: Path, game: str, pair: str = "random,greedy", number: int = 2
) -> FixtureResult:
    """Return the result of a match of the fewest seats, by the seed 1."""
    seats = GAMES[game].seats[0]
    return play(Fixture(game, seats, parse_pair(pair), number), 1, directory)


def lines(directory: Path, result: FixtureResult) -> list[bytes]:
    """Return the lines of a match's record."""
    packed = (directory / result.fixture.record).read_bytes()
    return record.lines(ZstdDecompressor().decompress(packed))


def records(directory: Path) -> dict[Path, bytes]:
    """Return all files by their paths in the directory."""
    files = [path for path in directory.rglob("*") if path.is_file()]
    return {path.relative_to(directory): path.read_bytes() for path in files}


@pytest.mark.whole
@pytest.mark.parametrize("game", GAMES)
def test_the_record_is_right(tmp_path: Path, game: str) -> None:
    """The whole record is checked. It ends as the result says, and is the only file left."""
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


@pytest.mark.whole
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
    """A move without a choice takes no thought, and would hide the time of other moves."""
    decisions = 0

    def think(
        game: Game[Any], imagined: Any, seat: int, chance: Chance, _budget: Budget
    ) -> MoveChoice:
        nonlocal decisions
        has_choice = len(game.legal_moves(imagined, seat)) > 1
        decisions += has_choice or bool(game.unlisted(imagined, seat))
        return MoveChoice(game.random_move(imagined, seat, chance))

    monkeypatch.setitem(bots.LEVELS, "random", (think, Budget(seconds=0.0)))
    measured = played(tmp_path, "calimala").times["random"]

    assert measured.decisions == sum(measured.counts.values()) == decisions > 0
    assert measured.longest > 0


# ---- in several processes ------------------------------------------------------------------------


@pytest.mark.whole
def test_two_processes_play_the_same_matches_as_one(tmp_path: Path) -> None:
    """Records are equal to the byte, and results are equal but for their times."""
    planned = list(fixtures({"firenze": [2]}, [PAIR], 3))
    alone = [play(fixture, 1, tmp_path / "alone") for fixture in planned]
    together = list(run(planned, 1, tmp_path / "together", 2))
    together.sort(key=lambda result: result.fixture.number)

    assert [replace(one, times={}) for one in together] == [replace(one, times={}) for one in alone]
    assert records(tmp_path / "alone") == records(tmp_path / "together")
    assert len(records(tmp_path / "alone")) == len(planned)
    assert list(run([], 1, tmp_path, 2)) == []


@pytest.mark.whole
def test_no_process_is_left_and_a_killed_one_is_reported(tmp_path: Path) -> None:
    """An abandoned arena and an unplayable match leave no process. A killed one fails the run."""
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
    with pytest.raises(MatchFailed, match="was killed"):
        list(results)
