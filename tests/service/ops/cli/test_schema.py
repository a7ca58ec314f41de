"""`giornale schema`: the stored forms of this release, and the verdict on two releases."""

import json
import stat
from pathlib import Path

import pytest

from service.record.catalogue import catalogue
from tests.service.ops.cli.conftest import Run


@pytest.fixture
def present(tmp_path: Path) -> Path:
    """The catalogue of this program in a file."""
    path = tmp_path / "present.json"
    path.write_text(json.dumps(catalogue()))
    return path


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """The catalogue of a release with one event more."""
    listed = catalogue()
    events = listed["forms"]["calimala/1"]["events"]
    events["disc_laid"] = next(iter(events.values()))
    path = tmp_path / "older.json"
    path.write_text(json.dumps(listed))
    return path


def test_the_catalogue_is_json(run_alone: Run) -> None:
    """Its output is what `diff` reads."""
    assert json.loads(run_alone("schema", "show", "--json").stdout) == catalogue()


def test_the_catalogue_is_a_table(run_alone: Run) -> None:
    """A line for each command and each event."""
    lines = run_alone("schema", "show").stdout.splitlines()

    forms = catalogue()["forms"].values()
    assert len(lines) == sum(len(one["commands"]) + len(one["events"]) for one in forms)
    assert lines[0].split()[:3] == ["match", "command", "abort"]


def test_equal_releases_are_compatible(run_alone: Run, present: Path) -> None:
    """Nothing has changed."""
    result = run_alone("schema", "diff", present, present)

    assert (result.exit_code, result.stdout) == (0, "compatible: 0 changes\n")


def test_a_missing_upcaster_ends_with_3(run_alone: Run, present: Path, older: Path) -> None:
    """The event and its rules are named."""
    result = run_alone("schema", "diff", older, present)

    assert result.exit_code == 3
    assert result.stdout == (
        "needs an upcaster: calimala/1 event disc_laid: the event is gone without an upcaster\n"
        "needs an upcaster: 1 changes\n"
    )


def test_incompatible_releases_end_with_1(run_alone: Run, present: Path, older: Path) -> None:
    """A removed rules version makes matches unreadable. The report is also JSON."""
    listed = json.loads(older.read_text())
    del listed["forms"]["calimala/1"]
    older.write_text(json.dumps(listed))

    result = run_alone("schema", "diff", present, older, "--json")

    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["verdict"] == "incompatible"
    assert [change["place"] for change in report["changes"]] == ["calimala/1"]


def test_a_release_is_asked_by_its_program(run_alone: Run, present: Path, tmp_path: Path) -> None:
    """The program `giornale` of another environment prints its catalogue."""
    program = tmp_path / "giornale"
    program.write_text(f'#!/bin/sh\ntest "$*" = "schema show --json" && cat {present}\n')
    program.chmod(stat.S_IRWXU)

    assert run_alone("schema", "diff", program, present).stdout == "compatible: 0 changes\n"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 2", "has no catalogue (exit code 2)"),
        ("echo hello", "is no catalogue of `giornale schema show --json`"),
        ("echo '[]'", "cannot be compared: it is no catalogue of format 1"),
        ("echo '{\"format\": 1}'", "cannot be compared: it is malformed (KeyError)"),
    ],
)
def test_an_unreadable_release_ends_with_2(
    run_alone: Run, present: Path, tmp_path: Path, script: str, reason: str
) -> None:
    """Such as a release before the first catalogue."""
    program = tmp_path / "giornale"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(stat.S_IRWXU)

    result = run_alone("schema", "diff", program, present)

    assert result.exit_code == 2
    assert reason in result.stderr
    missing = run_alone("schema", "diff", tmp_path / "none", present)
    assert (missing.exit_code, "No such file" in missing.stderr) == (2, True)
