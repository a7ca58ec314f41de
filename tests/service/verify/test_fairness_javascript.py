"""docs/fairness.mjs: the page's checker in JavaScript agrees with the service."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from domain.game import Game
from domain.games import RELEASED
from service.ledger import record
from tests.attacks.forging import entries_of
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


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A file of each sort, by what is said of it."""
    lines = golden(RELEASED[0], "unbound")
    public = [record.line(record.redact(entry, [])) for entry in entries_of(lines)[:-1]]
    vectors = VECTORS.read_text()
    contents = {
        "right": b"".join(lines),
        "wrong": b"".join([*lines[:5], *lines[6:]]),
        "partly checked": b"".join(public),
        "examples": vectors.encode(),
        "other examples": vectors.replace("6789", "9876").encode(),
        "no examples": b'{"canonical":[{}],"salts":5}',
        "no record": b"# A text\n",
        "no JSON": b'{"data":',
        "nothing": b"",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return {name: tmp_path / name for name in [*contents, "missing"]}


# Which files are given, what is said of those that can be read, and how the program ends.
RUNS = [
    (["right"], ["right"], 0),
    (["wrong"], ["wrong: commit 6: commit 7 stands where commit 6 belongs"], 1),
    (["partly checked"], ["partly checked: not checked: "], 3),
    (["examples"], ["right"], 0),
    (["other examples"], ["wrong: example "], 1),
    (["examples", "right"], ["examples: right", "right: right"], 0),
    (["right", "examples"], ["right: right", "examples: right"], 0),
    (["right", "missing"], ["right: right"], 2),
    (["missing", "wrong", "right"], ["wrong: wrong: commit 6", "right: right"], 1),
    (["missing", "partly checked"], ["partly checked: partly checked: "], 2),
]


@pytest.mark.parametrize(("names", "said", "end"), RUNS, ids=[" ".join(run[0]) for run in RUNS])
def test_each_file_is_known_by_its_content(
    files: dict[str, Path], names: list[str], said: list[str], end: int
) -> None:
    """A record needs no file of examples beside it, and the worst verdict counts."""
    ran = run_checker(*(str(files[name]) for name in names))

    lines = ran.stdout.replace(f"{files['right'].parent}/", "").splitlines()
    assert ran.returncode == end, ran.stderr
    for line, beginning in zip(lines, said, strict=True):
        assert line.startswith(beginning)


@pytest.mark.parametrize("name", ["missing", "no examples", "no record", "no JSON", "nothing"])
def test_what_cannot_be_read_is_not_called_wrong(files: dict[str, Path], name: str) -> None:
    """It ends with 2 and says why; "wrong" is a verdict on a record."""
    ran = run_checker(str(files[name]))

    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith(f"{files[name]}: cannot be read: ")


def test_without_a_file_the_checker_says_what_it_needs() -> None:
    """It tells what to give, and ends with 2."""
    ran = run_checker()

    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("usage: node fairness.mjs FILE...")
