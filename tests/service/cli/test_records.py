"""`giornale export` and `import`: records of matches, out of a journal and into it."""

from pathlib import Path

import pytest

from service.ledger import record
from service.matches import views
from service.matches.context import Context
from tests.attacks.forging import entries_of
from tests.service.cli.conftest import Run
from tests.service.cli.shelf import match_in
from tests.service.toy_matches import opened, play_on

pytestmark = pytest.mark.usefixtures("toy_game")


def test_export_and_import_are_inverse(run: Run, served: Context, file: Path) -> None:
    """A record taken in and written again is byte for byte the same; twice is as good as once."""
    match = match_in(file)
    assert run("import", file).stdout == f"{match}: 8 commits\n"
    assert run("import", file).stdout == f"{match}: it was there already\n"
    assert run("export", match).stdout_bytes == file.read_bytes()
    assert run("verify", match).exit_code == 0
    assert served.journal.events.head(match) is not None


def test_a_bad_record_is_not_imported(run: Run, file: Path) -> None:
    """The answer names the commit; the journal stays empty."""
    file.write_bytes(file.read_bytes().replace(b'"heads":', b'"head":'))
    result = run("import", file)
    assert result.exit_code == 1
    assert "commit 4: the commit is not the one its hash was made of" in result.stderr


@pytest.mark.parametrize("audiences", [set(), {"seat:0"}], ids=["public", "seat"])
def test_a_match_that_is_on_is_exported_as_the_public_or_a_seat_sees_it(
    run: Run, served: Context, audiences: set[str]
) -> None:
    """Before the end no secret is exported, not even for the operator, but for its own seat."""
    match = opened(served)
    play_on(served, match, until=3)
    arguments = [argument for seat in audiences for argument in ("--token", match.tokens[seat])]

    content = run("export", match.loaded.id, *arguments).stdout_bytes
    entries = entries_of(record.lines(content))
    assert {audience for stored in entries for audience in stored["secrets"]} == audiences


def test_a_match_imported_by_the_command_line_says_so(
    run: Run, served: Context, file: Path
) -> None:
    """The note of the import names the command line, in the sidecar."""
    run("import", file)
    note = views.imported_in(served.journal.metadata.fields(match_in(file)))
    assert note is not None
    assert note["by"] == "command line"
