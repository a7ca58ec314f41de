"""docs/fairness.mjs: the page's checker in JavaScript agrees with the service."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from domain.game import Game
from domain.games import RELEASED
from tests.service.verify.golden import golden, of_both_kinds, relabelled_records

DOCS = Path(__file__).parents[3] / "docs"
VECTORS = DOCS / "fairness-vectors.json"
CHECKER = DOCS / "fairness.mjs"
NODE = shutil.which("node")
SECONDS = 60

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")


@of_both_kinds
def test_another_language_agrees(game: Game[Any], kind: str, tmp_path: Path) -> None:
    """The page's checker in JavaScript passes every vector and a golden record."""
    assert exit_code_of_node(tmp_path, golden(game, kind)) == 0


@of_both_kinds
def test_another_language_refuses_a_record_without_a_line(
    game: Game[Any], kind: str, tmp_path: Path
) -> None:
    """A record that lacks one of its commits is wrong in JavaScript, too."""
    lines = golden(game, kind)
    del lines[5]

    assert exit_code_of_node(tmp_path, lines) == 1


@pytest.mark.parametrize("game", RELEASED, ids=lambda game: game.rules)
def test_another_language_refuses_a_relabelled_record(game: Game[Any], tmp_path: Path) -> None:
    """A bound match under another id is wrong in JavaScript, too."""
    for lines in relabelled_records(golden(game, "bound")):
        assert exit_code_of_node(tmp_path, lines) == 1


def exit_code_of_node(directory: Path, lines: list[bytes]) -> int:
    """Return how the page's checker ends for a record: 0 right, 1 wrong."""
    path = directory / "record.ndjson"
    path.write_bytes(b"".join(lines))
    return run_checker(str(VECTORS), str(path)).returncode


def run_checker(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the page's checker in JavaScript."""
    return subprocess.run(
        [NODE or "", str(CHECKER), *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


USAGE = "usage: node fairness.mjs VECTORS [RECORD]"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param([], USAGE, id="nothing"),
        pytest.param(["a", "b", "c"], USAGE, id="too much"),
        pytest.param(["no-such-file.json"], "cannot read no-such-file.json", id="no file"),
    ],
)
def test_the_checker_in_javascript_says_what_it_needs(arguments: list[str], told: str) -> None:
    """Without a file, or with one that is not there, it tells what to give.

    It ends with 2, which does not mean "wrong".
    """
    ran = run_checker(*arguments)

    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith(told)
