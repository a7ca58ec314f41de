"""`giornale arena`: plays what is missing, stops at any time, and reports what is there."""

import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.workers.arena.asking import arena
from workers.arena import command, results
from workers.arena.command import software
from workers.arena.fixtures import Fixture
from workers.arena.playing import play
from workers.arena.report import PAGE, PICTURE
from workers.arena.results import Result

SMALL = ("firenze", "--levels", "random,greedy", "--seats", "2", "--matches", "3")


class Table:
    """Plays matches in the tests' own process, and notes which; a signal may come after some."""

    def __init__(self) -> None:
        self.played: list[Fixture] = []
        self.signal_after: int | None = None

    def run(
        self, fixtures: Sequence[Fixture], arena_seed: int, directory: Path, _processes: int
    ) -> Iterator[Result]:
        """Play one match after the other."""
        for number, fixture in enumerate(fixtures):
            if number == self.signal_after:
                os.kill(os.getpid(), signal.SIGTERM)
            yield play(fixture, arena_seed, directory)
            self.played.append(fixture)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    """The command plays here instead of in processes of its own."""
    here = Table()
    monkeypatch.setattr(command, "run", here.run)
    return here


def outcomes(directory: Path) -> list[Result]:
    """Return the results in a directory without what differs from one run to the next."""
    return [replace(result, times={}) for result in results.read(directory)]


def test_everything_is_played_and_told(table: Table, tmp_path: Path) -> None:
    """Tables are printed, and page, picture and records are written."""
    ran = arena(*SMALL, out=tmp_path)

    assert ran.exit_code == 0, ran.output
    assert "Firenze: who beats whom" in ran.output
    assert "greedy - random" in ran.output
    assert "Firenze: who beats whom" in (tmp_path / PAGE).read_text()
    assert (tmp_path / PICTURE).read_text().startswith("<?xml")
    assert len(list(tmp_path.rglob("*.ndjson.zst"))) == len(table.played) == 3
    assert {result.software for result in results.read(tmp_path)} == {software()}


def test_a_stopped_arena_goes_on(table: Table, tmp_path: Path) -> None:
    """A signal ends it with a report and a code of its own; then only what is missing is played."""
    handler_before = signal.getsignal(signal.SIGTERM)
    table.signal_after = 2
    stopped = arena(*SMALL, out=tmp_path / "stopped")

    assert signal.getsignal(signal.SIGTERM) is handler_before
    assert stopped.exit_code == command.STOPPED
    assert "goes on where it was" in stopped.output
    assert "Firenze: who beats whom" in stopped.output
    assert len(results.read(tmp_path / "stopped")) == 2

    table.signal_after = None
    gone_on = arena(*SMALL, out=tmp_path / "stopped")

    assert gone_on.exit_code == 0
    assert "2 of 3 matches are there already" in gone_on.output
    assert [fixture.number for fixture in table.played] == [1, 2, 3]

    arena(*SMALL, out=tmp_path / "at-once")
    assert outcomes(tmp_path / "stopped") == outcomes(tmp_path / "at-once")


def test_what_a_killed_arena_has_left_is_removed(table: Table, tmp_path: Path) -> None:
    """Drafts of records, when the same command goes on."""
    arena(*SMALL, out=tmp_path)
    record = next(tmp_path.rglob("*.ndjson.zst"))
    draft = record.with_name(".0077.ndjson.zst.77.0123abcd")
    draft.write_bytes(b"a half")

    ran = arena(*SMALL, out=tmp_path)
    assert f"removed {draft}, which a killed arena had left" in ran.output
    assert not draft.exists()


def test_an_arena_can_grow(table: Table, tmp_path: Path) -> None:
    """More matches, other levels and other seats are added to what is there."""
    arena(*SMALL, out=tmp_path)
    before = outcomes(tmp_path)
    table.played.clear()

    ran = arena(
        "firenze", "--pair", "greedy,random", "--seats", "2", "--matches", "4", out=tmp_path
    )

    assert ran.exit_code == 0
    assert [fixture.number for fixture in table.played] == [4]
    assert outcomes(tmp_path)[:3] == before


def test_a_report_can_be_made_again(table: Table, tmp_path: Path) -> None:
    """It is made from the results alone, plays nothing, and its files are equal to the byte."""
    first = arena(*SMALL, "--matches", "2", out=tmp_path)
    page = (tmp_path / PAGE).read_bytes()
    picture = (tmp_path / PICTURE).read_bytes()
    table.played.clear()
    (tmp_path / PAGE).unlink()
    (tmp_path / PICTURE).unlink()

    again = arena("--report", out=tmp_path)

    assert table.played == []
    assert again.exit_code == 0
    assert again.output in first.output
    assert (tmp_path / PAGE).read_bytes() == page
    assert (tmp_path / PICTURE).read_bytes() == picture


def test_another_seed_is_refused(table: Table, tmp_path: Path) -> None:
    """A directory has one seed."""
    arena(*SMALL, "--matches", "1", out=tmp_path)
    ran = arena(*SMALL, "--seed", "2", out=tmp_path)

    assert ran.exit_code == 1
    assert "was begun with the seed 1" in ran.output


def test_a_directory_that_cannot_be_is_told(table: Table, tmp_path: Path) -> None:
    """A file in the place of the directory is named, without a traceback."""
    (tmp_path / "file").write_text("")
    ran = arena(*SMALL, out=tmp_path / "file" / "below")

    assert ran.exit_code == 1
    assert "Error: " in ran.output
    assert str(tmp_path / "file") in ran.output


def test_a_report_that_cannot_be_written_is_told(table: Table, tmp_path: Path) -> None:
    """The matches that were played are there all the same."""
    (tmp_path / PAGE).mkdir()
    ran = arena(*SMALL, "--matches", "1", out=tmp_path)

    assert ran.exit_code == 1
    assert "Error: " in ran.output
    assert len(results.read(tmp_path)) == 1


def test_missing_packages_are_named_before_anything_is_played(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the extra there would be no report after hours of play."""
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "openskill" else Any)
    ran = arena(*SMALL, out=tmp_path)

    assert ran.exit_code == 1
    assert "the arena needs openskill" in ran.output
    assert "giornale[arena]" in ran.output
    assert table.played == []
