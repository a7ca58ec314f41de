"""`giornale board`: a typed-in board is checked whole, each error at its entry (F4)."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from service.cli.commands import main


@pytest.fixture
def board() -> Any:
    """The default board, as `giornale board show` prints it."""
    shown = CliRunner().invoke(main, ["board", "show"])
    assert shown.exit_code == 0
    return json.loads(shown.output)


def check(path: Path, board: Any) -> Result:
    """Return what `giornale board check` does with a board."""
    path.write_text(json.dumps(board))
    return CliRunner().invoke(main, ["board", "check", str(path)])


def test_what_is_shown_is_good(tmp_path: Path, board: Any) -> None:
    """The printed default passes the check (F4)."""
    result = check(tmp_path / "board.json", board)
    assert result.exit_code == 0
    assert "good board" in result.output


def test_every_error_is_told_at_its_entry(tmp_path: Path, board: Any) -> None:
    """Two wrong entries, two lines, each with its JSON pointer (F4)."""
    board["balconies"][3]["numeral"] = "V"
    board["cards"]["flood"]["copies"] = "one"
    result = check(tmp_path / "board.json", board)

    pointers = {line.partition(":")[0] for line in result.output.splitlines()}
    assert result.exit_code == 1
    assert pointers == {"/cards/flood/copies", "/balconies/3/numeral"}


@pytest.mark.parametrize("text", ["", "{", "\xff"], ids=["empty", "cut", "no-utf8"])
def test_an_unreadable_file_is_said_so(tmp_path: Path, text: str) -> None:
    """No traceback, exit status 2."""
    path = tmp_path / "board.json"
    path.write_bytes(text.encode("latin-1"))
    result = CliRunner().invoke(main, ["board", "check", str(path)])

    assert result.exit_code == 2
    assert "cannot be read" in result.output


def test_a_missing_file_is_said_so(tmp_path: Path) -> None:
    """The same for a file that is not there."""
    result = CliRunner().invoke(main, ["board", "check", str(tmp_path / "none.json")])
    assert result.exit_code == 2


def test_an_unknown_game_is_refused() -> None:
    """The answer names the games that have boards."""
    result = CliRunner().invoke(main, ["board", "show", "--game", "chess"])
    assert result.exit_code == 2
    assert "firenze" in result.output
