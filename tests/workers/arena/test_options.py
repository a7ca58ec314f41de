"""The options of `giornale arena`: what is played, by which seed, in how many processes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import pytest
from click.testing import CliRunner

from domain.firenze import GAME as FIRENZE
from domain.games import GAMES
from service.matches.bots import offered
from tests import toy
from tests.workers.arena.asking import arena
from workers.arena import command, results
from workers.arena.fixtures import Fixture
from workers.arena.results import Result


class Plan:
    """Plays nothing, and notes what was to be played, by which seed and in how many processes."""

    def __init__(self) -> None:
        self.fixtures: list[Fixture] = []
        self.seed = self.processes = 0

    def run(
        self, fixtures: Sequence[Fixture], arena_seed: int, _directory: Path, processes: int
    ) -> Iterator[Result]:
        """Note everything."""
        self.fixtures = list(fixtures)
        self.seed = arena_seed
        self.processes = processes
        return iter(())

    def matches(self, game: str) -> set[tuple[int, str, int]]:
        """Return the matches of a game: how many seats, which levels, which number."""
        return {
            (fixture.seats, ",".join(map(str, fixture.pair)), fixture.number)
            for fixture in self.fixtures
            if fixture.game == game
        }


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """The command plays nothing here."""
    here = Plan()
    monkeypatch.setattr(command, "run", here.run)
    return here


def test_without_options_everything_is_played(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every pair of levels, 400 times, in every game at every number of seats, in var/arena."""
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(command.arena, [])

    assert ran.exit_code == 0, ran.output
    for key, game in GAMES.items():
        pairs = {",".join(pair) for pair in combinations(offered(game), 2)}
        assert plan.matches(key) == set(product(game.seats, pairs, range(1, 401)))
    assert (plan.seed, plan.processes) == (1, 1)
    assert results.seed_in(tmp_path / "var" / "arena") == 1


def test_a_game_without_foresight_plays_what_it_has(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has fewer levels, so it is left out of most pairs that others play."""
    toy.install(monkeypatch)
    of_three = ("--seats", "3", "--matches", "1")

    assert arena(*of_three, out=tmp_path).exit_code == 0
    assert plan.matches("toy") == {(3, "random,greedy", 1)}
    assert (3, "quick,strong", 1) in plan.matches("firenze")

    assert arena(*of_three, "--pair", "quick,greedy", out=tmp_path).exit_code == 0
    games = {fixture.game for fixture in plan.fixtures}
    assert "firenze" in games
    assert "toy" not in games


@pytest.mark.parametrize(
    "wanted",
    [("--levels", "random,greedy,quick:5"), ("--pair", "random,quick:5")],
    ids=["levels", "pair"],
)
def test_a_named_game_must_have_the_levels(
    plan: Plan, tmp_path: Path, wanted: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is played rather than less than was asked for."""
    monkeypatch.setattr(command, "GAMES", {**GAMES, "firenze": replace(FIRENZE, search_hooks=None)})
    ran = arena("calimala", "firenze", *wanted, out=tmp_path / "new")

    assert ran.exit_code != 0
    told = "Firenze cannot play random,quick:5: it has bots of the levels random, greedy"
    assert told in " ".join(ran.output.split())
    assert plan.fixtures == []
    assert not (tmp_path / "new").exists()


def test_only_what_is_named_is_played(plan: Plan, tmp_path: Path) -> None:
    """A game, pairs and seats may be named several times, and count once each."""
    pairs = ("--pair", "random,greedy", "--pair", "quick:5,greedy", "--pair", "greedy,random")
    seats = ("--seats", "4", "--seats", "2", "--seats", "4")
    ran = arena("firenze", "firenze", *pairs, *seats, "--matches", "2", out=tmp_path)

    assert ran.exit_code == 0, ran.output
    wanted = product([2, 4], ["random,greedy", "greedy,quick:5"], [1, 2])
    assert plan.matches("firenze") == set(wanted)
    assert len(plan.fixtures) == 8


def test_seed_and_processes_are_those_that_were_asked_for(plan: Plan, tmp_path: Path) -> None:
    """The directory keeps the seed; every match follows from it."""
    ran = arena("firenze", "--seats", "2", "--seed", "7", "--jobs", "3", out=tmp_path)

    assert ran.exit_code == 0, ran.output
    assert (plan.seed, plan.processes) == (7, 3)
    assert results.seed_in(tmp_path) == 7


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["monopoly"], "'calimala', 'firenze'", id="game"),
        pytest.param(["--levels", "clever,random"], "the levels are random", id="level"),
        pytest.param(["--levels", "random"], "two levels at least", id="one-level"),
        pytest.param(["--pair", "random"], "is no pair", id="pair"),
        pytest.param(
            ["--pair", "random,greedy", "--levels", "random,greedy"], "not both", id="both"
        ),
        pytest.param(["firenze", "--seats", "5"], "it takes 2, 3, 4", id="seats"),
        pytest.param(["--matches", "0"], "range 1<=x", id="matches"),
        pytest.param(["--seed", "-1"], "range x>=0", id="seed"),
        pytest.param(["--jobs", "0"], "range 1<=x", id="jobs"),
        pytest.param(["--report"], "there are no results of an arena", id="nothing-to-report"),
    ],
)
def test_what_cannot_be_is_refused(
    plan: Plan, tmp_path: Path, arguments: list[str], told: str
) -> None:
    """The refusal names what is allowed; nothing is played and nothing is written."""
    ran = arena(*arguments, out=tmp_path / "new")

    assert ran.exit_code != 0
    assert told in " ".join(ran.output.split())
    assert "Traceback" not in ran.output
    assert plan.fixtures == []
    assert not (tmp_path / "new").exists()
