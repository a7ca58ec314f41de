"""`giornale match delete`: a match goes for good, when the operator is sure."""

from pathlib import Path

import pytest

from service.matches.desk import Desk
from tests.service.cli.conftest import Run
from tests.service.cli.handed import match_in

pytestmark = pytest.mark.usefixtures("toy_game")


def test_a_match_is_deleted_when_one_is_sure(run: Run, served: Desk, file: Path) -> None:
    """It is asked for; a no leaves the match as it is, a yes deletes it."""
    match = match_in(file)
    run("import", file)

    refused = run("match", "delete", match, input="n\n")
    assert refused.exit_code == 1
    assert served.journal.head(match) is not None

    confirmed = run("match", "delete", match, input="y\n")
    assert confirmed.stdout.endswith(f"{match}: deleted\n")
    assert served.journal.head(match) is None

    tombstone = served.journal.deleted(match)
    assert tombstone is not None
    assert tombstone.by == "command line"


def test_a_deleted_match_is_gone_for_good(run: Run, file: Path) -> None:
    """A second time says that it is gone, and its record is not taken in."""
    match = match_in(file)
    run("import", file)
    run("match", "delete", match, "--yes")

    again = run("match", "delete", match, "--yes")
    assert again.exit_code == 1
    assert "was deleted" in again.stderr

    refused = run("import", file)
    assert refused.exit_code == 1
    assert "nothing was imported" in refused.stderr


def test_no_match_is_not_deleted(run: Run, served: Desk) -> None:
    """A wrong id is told as such."""
    match = "a" * 26
    result = run("match", "delete", match, "--yes")
    assert result.exit_code == 1
    assert result.stderr == f"Error: there is no match {match}\n"
