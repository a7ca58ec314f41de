"""The page's checker, run in Node with the modules of a browser, and golden records for it."""

import json
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from domain.game import Game
from domain.games import RELEASED
from tests.attacks.forging import relabelled
from tests.records import make

Json = dict[str, Any]

NODE = shutil.which("node")
SECONDS = 300

_JUDGE = Path(__file__).with_name("judge.mjs")

with_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


class Case(NamedTuple):
    """A record to check.

    change: the index of one byte and its new value. beside: facts beside the record, as
    `verify/record.js` takes them. bases: the records of the bases of forks.
    """

    record: Path
    change: tuple[int, int] | None = None
    beside: Json | None = None
    bases: Sequence[Path] = ()


def run_node(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program in Node."""
    return subprocess.run(
        [NODE or "", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def reports(directory: Path, cases: Sequence[Case]) -> list[Json]:
    """Return the reports of the page's checker on each record. directory: a place for its file."""
    listed = [
        {
            "record": str(case.record),
            "change": case.change,
            "beside": case.beside or {},
            "bases": [str(base) for base in case.bases],
        }
        for case in cases
    ]
    answers: list[Json] = judged(_JUDGE, directory, listed)
    return answers


def are_signed(directory: Path, cases: Sequence[tuple[str, str, str]]) -> list[bool]:
    """Return the page's verdict on each key, signature and text. directory: as in `reports`."""
    verdicts: list[bool] = judged(_JUDGE, directory, [{"signed": case} for case in cases])
    return verdicts


def judged(judge: Path, directory: Path, cases: Sequence[object]) -> Any:
    """Return the JSON output of a Node program about cases. directory: a place for its file."""
    path = directory / "cases.json"
    path.write_text(json.dumps(cases))

    ran = run_node(str(judge), str(path))
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def reports_of(directory: Path, contents: Iterable[bytes]) -> list[Json]:
    """Return the reports of the page's checker on records. directory: a place for its files."""
    cases = []
    for number, content in enumerate(contents):
        path = directory / f"{number}.ndjson"
        path.write_bytes(content)
        cases.append(Case(path))
    return reports(directory, cases)


def fault_of(report: Json) -> tuple[int, str] | None:
    """Return the first bad commit of a report and the code of its fault, None if it is right."""
    wrong = report["wrong"]
    return None if wrong is None else (wrong["commit"], wrong["code"])


TOY_IS_UNKNOWN = "the play: this program does not know the rules toy/1"

OTHER_ID = "z" * 26
WITHOUT_PLAY = ("envelope", "field", "key")  # relabellings found without playing the match again
KINDS = ("unbound", "bound")

of_both_kinds = pytest.mark.parametrize(
    ("game", "kind"),
    [pytest.param(game, kind, id=f"{game.rules}-{kind}") for game in RELEASED for kind in KINDS],
)


def golden(game: Game[Any], kind: str) -> list[bytes]:
    """Return a golden record, "bound" to its match's id or "unbound"."""
    pattern = "*-bound-*" if kind == "bound" else "*-??.ndjson.gz"
    path = min((make.HOME / game.key).glob(pattern))
    return make.lines_in(path)


def relabelled_records(lines: list[bytes]) -> list[list[bytes]]:
    """Return the record of a bound match under another id, forged in every way without play."""
    return [relabelled(lines, OTHER_ID, how) for how in WITHOUT_PLAY]
