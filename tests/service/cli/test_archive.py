"""`giornale archive`: what is due leaves the journal, is checked, and comes back."""

from pathlib import Path

import pytest

from service.matches.context import Context
from service.matches.repository import load
from tests.service.cli.conftest import Run
from tests.service.toy_matches import opened, play_on


@pytest.fixture
def ended(here: Context) -> str:
    """A match that has ended just now."""
    match = opened(here)
    play_on(here, match)
    return match.loaded.id


def files(environ: dict[str, str]) -> list[Path]:
    """Return the files of the archive."""
    directory = Path(environ["GIORNALE_DATA"]) / "archive"
    return [path for path in directory.rglob("*") if path.is_file()]


def test_what_is_due_is_archived_checked_and_restored(
    run: Run, here: Context, ended: str, environ: dict[str, str]
) -> None:
    """Each command says what it has done; the match is read as before all the while."""
    before = load(here, ended)
    commits = before.version

    assert run("archive", "run", "--older-than", "1h").output == "0 matches archived\n"
    assert (
        run("archive", "run", "--dry-run").output == f"1 matches with {commits} commits are due\n"
    )
    assert files(environ) == []

    assert run("archive", "run").output.startswith(f"1 matches archived: {commits} commits, ")
    assert run("archive", "run").output == "0 matches archived\n"
    assert here.journal.lifecycle.archived(ended) is not None
    [file] = files(environ)

    status = run("archive", "status").output
    assert f"archive: 1 matches archived: {commits} commits, {file.stat().st_size} bytes" in status
    checked = run("archive", "verify")
    assert (checked.exit_code, checked.output) == (0, "1 archived matches are right, 0 are not\n")
    assert run("verify", ended).output.startswith("right:")

    restored = run("archive", "restore", ended)
    assert restored.output == f"1 matches restored, {commits} commits\n"
    assert here.journal.lifecycle.archived(ended) is None
    assert load(here, ended) == before

    checked = run("archive", "verify")
    assert checked.exit_code == 0
    assert "note: 1 files are of matches that are not archived now" in checked.output
    assert run("archive", "verify", "--clean").exit_code == 0
    assert files(environ) == [file], "a backup of the journal may name it"


def test_all_matches_come_back_at_once(run: Run, here: Context, ended: str) -> None:
    """As before a return to an earlier release."""
    run("archive", "run")
    assert run("archive", "restore", "--all").output.startswith("1 matches restored")
    assert list(here.journal.lifecycle.all_archived()) == []


def test_a_damaged_file_is_named(run: Run, ended: str, environ: dict[str, str]) -> None:
    """With the match, the file and what to do; the exit code is 1."""
    run("archive", "run")
    [file] = files(environ)
    file.write_bytes(b"spoilt")

    checked = run("archive", "verify")
    assert checked.exit_code == 1
    assert f"wrong: match {ended} cannot be read from {ended[:2]}/{file.name}" in checked.output
    assert "put the file back from a copy of the archive" in checked.output
    assert checked.output.endswith("0 archived matches are right, 1 are not\n")

    for command in (["archive", "restore", ended], ["export", ended], ["verify", ended]):
        failed = run(*command)
        assert failed.exit_code == 2
        assert failed.output.startswith("Error: ")
        assert file.name in failed.output


def test_what_is_left_of_a_deleted_match_is_removed(
    run: Run, here: Context, ended: str, environ: dict[str, str]
) -> None:
    """As after a deletion while the archive could not be reached, or a death while writing."""
    run("archive", "run")
    [file] = files(environ)
    content = file.read_bytes()
    run("match", "delete", ended, "--yes")
    assert files(environ) == []

    file.write_bytes(content)
    draft = file.with_name(f".{file.name}.77.abcd")
    draft.write_bytes(content[:50])
    stranger = file.with_name("another.txt")
    stranger.write_bytes(b"not ours")

    checked = run("archive", "verify")
    assert checked.exit_code == 1
    assert f"left over: {ended[:2]}/{file.name}; --clean removes it" in checked.output

    cleaned = run("archive", "verify", "--clean")
    assert cleaned.exit_code == 0
    assert f"removed: {ended[:2]}/{file.name}" in cleaned.output
    assert files(environ) == [stranger]


def test_an_archive_that_cannot_be_written_is_named(
    run: Run, here: Context, ended: str, environ: dict[str, str]
) -> None:
    """The match stays where it is."""
    directory = Path(environ["GIORNALE_DATA"]) / "archive"
    directory.parent.mkdir(exist_ok=True)
    directory.write_text("in the way")

    result = run("archive", "run")
    assert result.exit_code == 2
    assert f"match {ended} cannot be archived in {directory}" in result.output
    assert here.journal.lifecycle.archived(ended) is None
