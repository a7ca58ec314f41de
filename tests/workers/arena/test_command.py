"""`giornale arena`: plays missing matches, stops at any time, and reports the present ones."""

import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import domain
from domain.firenze import GAME as FIRENZE
from domain.games import GAMES
from service.matches.bots import offered
from workers.arena import command, results
from workers.arena.command import digest_of, play, software
from workers.arena.fixtures import Fixture
from workers.arena.report import PAGE, PICTURE

SMALL = ("firenze", "--levels", "random,greedy", "--seats", "2", "--matches", "2")


class Table:
    """Stands for the processes of an arena: it plays here, or only notes the fixtures."""

    def __init__(self, *, plays: bool) -> None:
        self.plays = plays
        self.fixtures: list[Fixture] = []
        self.signal_after: int | None = None
        self.seed = self.processes = 0

    def run(
        self, fixtures: Sequence[Fixture], arena_seed: int, directory: Path, processes: int
    ) -> Iterator[results.FixtureResult]:
        """Note each match, and play it. A signal may come after some."""
        self.seed = arena_seed
        self.processes = processes
        for number, fixture in enumerate(fixtures):
            if number == self.signal_after:
                os.kill(os.getpid(), signal.SIGTERM)
            if self.plays:
                yield play(fixture, arena_seed, directory)
            self.fixtures.append(fixture)

    def matches(self, game: str) -> set[tuple[int, str, int]]:
        """Return the matches of a game: number of seats, levels, number."""
        return {
            (fixture.seats, ",".join(map(str, fixture.pair)), fixture.number)
            for fixture in self.fixtures
            if fixture.game == game
        }


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    """The command plays in the tests' own process."""
    here = Table(plays=True)
    monkeypatch.setattr(command, "run", here.run)
    return here


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Table:
    """The command plays nothing. Its fixtures are noted."""
    here = Table(plays=False)
    monkeypatch.setattr(command, "run", here.run)
    return here


def arena(*arguments: str, out: Path) -> Result:
    """Return the result of the command."""
    return CliRunner().invoke(command.arena, [*arguments, "--out", str(out)])


def outcomes(directory: Path) -> list[results.FixtureResult]:
    """Return the results in a directory without the times of the run."""
    return [replace(result, times={}) for result in results.read(directory)]


def test_everything_is_played_and_reported(table: Table, tmp_path: Path) -> None:
    """The report is made again from the results alone, equal to the byte."""
    ran = arena(*SMALL, out=tmp_path)

    assert ran.exit_code == 0, ran.output
    assert "greedy - random" in ran.output
    assert "Firenze: results by pair" in (tmp_path / PAGE).read_text()
    assert (tmp_path / PICTURE).read_text().startswith("<?xml")
    assert len(list(tmp_path.rglob("*.ndjson.zst"))) == len(table.fixtures) == 2
    assert {result.software for result in results.read(tmp_path)} == {software()}

    written = {name: (tmp_path / name).read_bytes() for name in (PAGE, PICTURE)}
    for name in written:
        (tmp_path / name).unlink()
    again = arena("--report", out=tmp_path)

    assert again.exit_code == 0
    assert again.output in ran.output
    assert {name: (tmp_path / name).read_bytes() for name in written} == written
    assert len(table.fixtures) == 2


@pytest.mark.whole
def test_a_stopped_arena_goes_on(table: Table, tmp_path: Path) -> None:
    """A signal ends an arena with a report and an exit code. Started again, it plays the rest."""
    handler_before = signal.getsignal(signal.SIGTERM)
    table.signal_after = 1
    stopped = arena(*SMALL, out=tmp_path / "stopped")

    assert signal.getsignal(signal.SIGTERM) is handler_before
    assert stopped.exit_code == command.STOPPED
    assert "continues it" in stopped.output
    assert "Firenze: results by pair" in stopped.output
    assert len(results.read(tmp_path / "stopped")) == 1

    table.signal_after = None
    gone_on = arena(*SMALL, out=tmp_path / "stopped")

    assert gone_on.exit_code == 0
    assert "1 of 2 matches are already played" in gone_on.output
    assert [fixture.number for fixture in table.fixtures] == [1, 2]

    arena(*SMALL, out=tmp_path / "at-once")
    assert outcomes(tmp_path / "stopped") == outcomes(tmp_path / "at-once")


@pytest.mark.whole
def test_an_arena_grows_and_removes_drafts_of_a_killed_one(table: Table, tmp_path: Path) -> None:
    """Only missing matches are played. Drafts of records are removed."""
    arena(*SMALL, out=tmp_path)
    before = outcomes(tmp_path)
    record = next(tmp_path.rglob("*.ndjson.zst"))
    draft = record.with_name(".0077.ndjson.zst.77.0123abcd")
    draft.write_bytes(b"a half")
    table.fixtures.clear()

    more = ("--pair", "greedy,random", "--seats", "2", "--matches", "3")
    ran = arena("firenze", *more, out=tmp_path)

    assert ran.exit_code == 0
    assert [fixture.number for fixture in table.fixtures] == [3]
    assert outcomes(tmp_path)[:2] == before
    assert f"removed {draft}, left by a killed arena" in ran.output
    assert not draft.exists()


def test_a_conflicting_seed_or_file_is_named(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Errors name another seed, misplaced files and directories, and a missing package."""
    one_match = (*SMALL, "--matches", "1")
    (tmp_path / "arena" / PAGE).mkdir(parents=True)
    unwritten = arena(*one_match, out=tmp_path / "arena")
    assert len(results.read(tmp_path / "arena")) == 1, "the match was played all the same"

    other_seed = arena(*one_match, "--seed", "2", out=tmp_path / "arena")
    (tmp_path / "file").write_text("")
    no_directory = arena(*one_match, out=tmp_path / "file" / "below")
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "matplotlib" else name)
    no_package = arena(*one_match, out=tmp_path / "new")

    reasons = {
        PAGE: unwritten,
        "has the seed 1": other_seed,
        str(tmp_path / "file"): no_directory,
        "the arena needs matplotlib": no_package,
    }
    for reason, ran in reasons.items():
        assert ran.exit_code == 1
        assert "Error: " in ran.output
        assert reason in ran.output
    assert len(table.fixtures) == 1


# ---- options ------------------------------------------------------------------------------------


def test_without_options_everything_is_played(
    plan: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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


def test_only_named_pairings_are_played(plan: Table, tmp_path: Path) -> None:
    """A game, pairs and seats may be named several times, and count once each."""
    pairs = ("--pair", "random,greedy", "--pair", "quick:5,greedy", "--pair", "greedy,random")
    seats = ("--seats", "4", "--seats", "2", "--seats", "4")
    how = ("--matches", "2", "--seed", "7", "--jobs", "3")
    ran = arena("firenze", "firenze", *pairs, *seats, *how, out=tmp_path)

    assert ran.exit_code == 0, ran.output
    expected = product([2, 4], ["random,greedy", "greedy,quick:5"], [1, 2])
    assert plan.matches("firenze") == set(expected)
    assert len(plan.fixtures) == 8
    assert (plan.seed, plan.processes) == (7, 3)
    assert results.seed_in(tmp_path) == 7


@pytest.mark.parametrize("option", [("--levels", "greedy,quick:5"), ("--pair", "greedy,quick:5")])
def test_a_named_game_must_have_the_levels(
    plan: Table, tmp_path: Path, option: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one game lacks a named level, nothing is played."""
    monkeypatch.setattr(command, "GAMES", {**GAMES, "firenze": replace(FIRENZE, search_hooks=None)})
    ran = arena("calimala", "firenze", *option, out=tmp_path / "new")

    reason = "Firenze cannot play greedy,quick:5: it has bots of the levels random, greedy"
    assert reason in " ".join(ran.output.split())
    assert ran.exit_code != 0
    assert plan.fixtures == []
    assert not (tmp_path / "new").exists()


REFUSED = {
    "monopoly": "'calimala', 'firenze'",
    "--levels clever,random": "Levels: random",
    "--levels random": "two levels at least",
    "--levels random,greedy:5": "greedy does not search",
    "--levels random,quick:": "1 to 1000000 iterations",
    "--levels random,quick:0": "1 to 1000000 iterations",
    "--levels random,quick:1000001": "1 to 1000000 iterations",
    "--levels random,quick:²": "1 to 1000000 iterations",
    f"--levels random,quick:{'9' * 5000}": "1 to 1000000 iterations",
    "--pair random": "is not a pair",
    "--pair random,greedy --levels quick,greedy": "either --levels",
    "firenze --seats 5": "It takes 2, 3, 4",
    "firenze calimala --seats 2": "Calimala does not take 2 seats. It takes 3, 4, 5",
    "--matches 0": "range 1<=x",
    "--report": "there are no results of an arena",
}


@pytest.mark.parametrize(("words", "reason"), REFUSED.items(), ids=lambda text: text[:40])
def test_impossible_arguments_are_refused(
    plan: Table, tmp_path: Path, words: str, reason: str
) -> None:
    """The refusal gives the reason. Nothing is played and nothing is written."""
    ran = arena(*words.split(), out=tmp_path / "new")

    assert ran.exit_code != 0
    assert reason in " ".join(ran.output.split())
    assert "Traceback" not in ran.output
    assert plan.fixtures == []
    assert not (tmp_path / "new").exists()


def test_the_digest_of_the_software_is_that_of_code_and_tables(tmp_path: Path) -> None:
    """Another rule, weight or file name gives another digest. Text files count for nothing."""
    code, table, notes = (tmp_path / name for name in ("moves.py", "weights.json", "notes.txt"))
    code.write_text("MOST = 6\n")
    table.write_text('{"seals": 1.5}\n')
    digests = [digest_of([tmp_path])]

    notes.write_text("plain\n")
    assert digest_of([tmp_path]) == digests[0]

    code.write_text("MOST = 7\n")
    digests.append(digest_of([tmp_path]))
    table.write_text('{"seals": 1.6}\n')
    digests.append(digest_of([tmp_path]))
    code.rename(tmp_path / "other.py")
    digests.append(digest_of([tmp_path]))
    assert len(set(digests)) == 4

    _release, _code, digest = software().rstrip(")").replace("(", "").split()
    assert digest != digest_of([Path(domain.__path__[0])]), "the bots count, too"


# ---- how far an arena is -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds_a_match", "lines"),
    [
        (1, ["4 of 4 matches are played"]),
        (20, ["2 of 4 matches are played, about 1 minutes left", "4 of 4 matches are played"]),
    ],
    ids=["a-fast-one-says-its-end-alone", "a-slow-one-says-how-long-the-rest-takes"],
)
def test_progress_is_printed_in_lines_without_a_terminal(
    seconds_a_match: float,
    lines: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A log gets a line each half minute, and one at the end."""
    moments = iter(number * seconds_a_match for number in range(100))
    monkeypatch.setattr("workers.arena.command.time.monotonic", lambda: next(moments))

    with command.shown_progress(4) as step:
        for _match in range(4):
            step()

    assert capsys.readouterr().err.splitlines() == lines


def test_a_terminal_is_shown_a_bar_of_matches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bar shows the share of played matches, on standard error."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with command.shown_progress(4) as step:
        for _match in range(3):
            step()
        assert "100%" not in capsys.readouterr().err
        step()

    output = capsys.readouterr()
    assert re.fullmatch(r"\rmatches  \[#+\]  100%\n", output.err)
    assert output.out == ""
