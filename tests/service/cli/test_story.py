"""`giornale story`: a record, a match of the journal or of a server, told to people."""

from pathlib import Path

import pytest

from service.matches import metadata_changes
from service.matches.context import Context
from tests.service.cli.conftest import Run
from tests.service.cli.shelf import match_in
from tests.service.cli.test_printing import is_harmless
from tests.service.toy_matches import opened, play_on

pytestmark = pytest.mark.usefixtures("toy_game")

OPENED = "    1  A match of Toy is opened with Ginevra and Ginevra."


def test_a_record_is_told_offline(run_alone: Run, file: Path) -> None:
    """With all that it lays open; a record holds no names."""
    result = run_alone("story", file)

    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[:3] == ["Opening", "", "    1  A match of Toy is opened with Seat 0 and Seat 1."]
    assert "       Seat 0 is dealt a card." not in lines
    assert "The coin" in lines
    assert lines[-1] == (
        "    8  The house lays all secrets open: every draw of the match can now be checked. [M9]"
    )
    assert is_harmless(result.stdout)


def test_it_goes_to_a_file(run_alone: Run, file: Path, tmp_path: Path) -> None:
    """In UTF-8, whatever the terminal speaks."""
    printed = run_alone("story", file).stdout_bytes

    target = tmp_path / "story.txt"
    assert run_alone("story", file, "-o", target).stdout == ""
    assert target.read_bytes() == printed


def test_a_record_is_read_from_standard_input(run_alone: Run, file: Path) -> None:
    """As by `giornale verify`."""
    from_input = run_alone("story", "-", input=file.read_bytes())
    assert from_input.stdout == run_alone("story", file).stdout


def test_a_wrong_record_is_not_told(run_alone: Run, file: Path, tmp_path: Path) -> None:
    """What was forged is no story; no file is written."""
    file.write_bytes(file.read_bytes().replace(b'"heads":', b'"head":'))
    target = tmp_path / "story.txt"

    result = run_alone("story", file, "-o", target)
    assert result.exit_code == 1
    assert "the record is wrong: commit 4" in result.stderr
    assert not target.exists()


def test_what_a_record_lacks_is_said(run_alone: Run, half: list[bytes]) -> None:
    """The story of a redacted record ends where secret parts are missing."""
    result = run_alone("story", "-", input=b"".join(half))

    assert result.exit_code in (0, 2)
    assert "secret parts that are not here" in result.stderr


def test_a_match_of_the_journal_is_told(run: Run, served: Context) -> None:
    """With the names that it has; to the public, or to the holder of a token."""
    match = opened(served)
    play_on(served, match, until=3)

    to_the_public = run("story", match.loaded.id)
    assert to_the_public.exit_code == 0, to_the_public.stderr
    assert OPENED in to_the_public.stdout.splitlines()
    assert "Ginevra is dealt a card." in to_the_public.stdout

    to_a_seat = run("story", match.loaded.id, "--token", match.tokens["seat:0"])
    assert to_a_seat.stdout != to_the_public.stdout


@pytest.mark.parametrize(
    "variables", [["GIORNALE_TOKEN"], ["GIO_TOKEN"], ["GIORNALE_TOKEN", "GIO_TOKEN"]], ids=" ".join
)
def test_a_token_is_taken_from_the_environment(
    run: Run, environ: dict[str, str], served: Context, variables: list[str]
) -> None:
    """Under its name, or the one that it had in the first release; it is no wrong setting."""
    match = opened(served)
    play_on(served, match, until=3)
    first_name, *others = variables
    environ[first_name] = match.tokens["seat:0"]
    environ.update(dict.fromkeys(others, "no token at all"))

    told = run("story", match.loaded.id)
    given = run("story", match.loaded.id, "--token", match.tokens["seat:0"])
    assert told.exit_code == 0, told.stderr
    assert told.stdout == given.stdout
    assert run("config").exit_code == 0


def test_an_erased_name_is_not_told(run: Run, served: Context) -> None:
    """The name is told from beside the chain, where it is no more."""
    match = opened(served)
    metadata_changes.erase(served, match.loaded.id, match.tokens["seat:0"], 0)

    told = run("story", match.loaded.id).stdout
    assert "opened with Seat 0 and Ginevra." in told


def test_a_match_of_a_server_is_told(run_alone: Run, served: Context, url: str) -> None:
    """What its server tells, with the token's ears."""
    match = opened(served)
    play_on(served, match, until=3)
    where = f"{url}/v1/matches/{match.loaded.id}"

    told = run_alone("story", where, "--token", match.tokens["seat:0"])
    assert told.exit_code == 0, told.stderr
    assert OPENED in told.stdout.splitlines()
    assert told.stdout != run_alone("story", where).stdout


def test_what_is_no_match_is_said(run: Run, run_alone: Run, file: Path, url: str) -> None:
    """There is no file and no journal; no such match; no such address."""
    nothing = run_alone("story", match_in(file))
    assert nothing.exit_code == 2
    assert "there is no file" in nothing.stderr

    missing = run("story", match_in(file))
    assert missing.exit_code == 1
    assert "there is no match" in missing.stderr

    elsewhere = run_alone("story", f"{url}/v1/matches/{match_in(file)}")
    assert elsewhere.exit_code == 2


def test_no_record_is_no_story(run_alone: Run, tmp_path: Path) -> None:
    """Any other file is refused."""
    other = tmp_path / "other"
    other.write_text("{}")
    result = run_alone("story", other)
    assert result.exit_code == 2
    assert "is no record" in result.stderr
