"""The digest of what has played: it changes with everything that may change a move."""

from pathlib import Path

import pytest

import domain
from workers.arena.command import digest_of, software


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with code, a table below it, and something else."""
    below = tmp_path / "bot"
    below.mkdir()
    (tmp_path / "moves.py").write_text("MOST = 6\n")
    (below / "weights.json").write_text('{"seals": 1.5}\n')
    (below / "notes.txt").write_text("plain\n")
    return tmp_path


@pytest.mark.parametrize("name", ["moves.py", "bot/weights.json"])
def test_code_and_tables_change_it(folder: Path, name: str) -> None:
    """Other rules and other weights are other bots."""
    before = digest_of([folder])
    (folder / name).write_text("# anything else\n")
    assert digest_of([folder]) != before


def test_a_new_place_changes_it(folder: Path) -> None:
    """The same code under another name may be loaded by others."""
    before = digest_of([folder])
    (folder / "moves.py").rename(folder / "bot" / "moves.py")
    assert digest_of([folder]) != before


def test_what_decides_nothing_is_left_out(folder: Path) -> None:
    """Whatever else lies beside the code, such as what was compiled of it."""
    before = digest_of([folder])
    (folder / "bot" / "notes.txt").write_text("others\n")
    (folder / "moves.pyc").write_bytes(b"compiled")
    assert digest_of([folder]) == before


def test_games_and_bots_are_told_with_the_release() -> None:
    """The digest of the games alone is another one."""
    release, _code, digest = software().rstrip(")").replace("(", "").split()
    assert release[0].isdigit()
    assert len(digest) == 8
    assert digest != digest_of([Path(domain.__path__[0])])
