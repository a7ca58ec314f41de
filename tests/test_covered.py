"""Coverage: what did not run is named, and a domain below its floor fails."""

from typing import Any

import pytest

from tests import covered
from tests.covered import Counts, File


def measured(path: str, *, lines_run: int = 100, branches_run: int = 100) -> File:
    """Return a file of a hundred lines and a hundred branches."""
    counts = Counts(lines=100, lines_run=lines_run, branches=100, branches_run=branches_run)
    return File(path, counts, (), ())


def test_a_report_is_read() -> None:
    """Counts and gaps are those of coverage.py's JSON."""
    summary = {"num_statements": 9, "covered_lines": 7, "num_branches": 4, "covered_branches": 1}
    report: dict[str, Any] = {
        "files": {
            "domain/calimala/play.py": {
                "summary": summary,
                "missing_lines": [3, 5],
                "missing_branches": [[2, 3], [4, -1]],
            }
        }
    }

    [file] = covered.read(report)

    counts = Counts(lines=9, lines_run=7, branches=4, branches_run=1)
    assert file == File("domain/calimala/play.py", counts, (3, 5), ((2, 3), (4, -1)))
    assert file.package == "domain/calimala"


def test_packages_are_added_up() -> None:
    """A package holds the files of its folder, and the last line holds all."""
    files = [
        measured("domain/match/play.py"),
        measured("domain/match/state.py", lines_run=50),
        measured("service/errors.py", branches_run=0),
    ]

    assert [row.split() for row in covered.table(files)[1:]] == [
        ["domain/match", "200", "75.0", "%", "200", "100.0", "%"],
        ["service", "100", "100.0", "%", "100", "0.0", "%"],
        ["all", "300", "83.3", "%", "300", "66.7", "%"],
    ]


def test_gaps_name_lines_and_branches() -> None:
    """A branch from a line that did not run is not named beside the line."""
    file = File("domain/a.py", Counts(), (7,), ((3, 5), (4, -1), (7, 8)))

    assert covered.gaps([file]) == [
        "domain/a.py:7 did not run",
        "domain/a.py:3 never went to line 5",
        "domain/a.py:4 never went to exit",
    ]


@pytest.mark.parametrize(
    ("file", "sentences"),
    [
        pytest.param(measured("domain/a.py"), [], id="everything ran"),
        pytest.param(measured("domain/a.py", branches_run=98), [], id="98 % of branches"),
        pytest.param(
            measured("domain/a.py", branches_run=97),
            ["The tests ran 97.00 % of the domain's branches, not 98 %."],
            id="97 % of branches",
        ),
        pytest.param(
            measured("domain/a.py", lines_run=99),
            ["The tests ran 99.00 % of the domain's lines, not 100 %."],
            id="99 % of lines",
        ),
        pytest.param(measured("service/a.py", lines_run=0), [], id="not the domain"),
    ],
)
def test_the_domain_has_a_floor(file: File, sentences: list[str]) -> None:
    """All lines and 98 % of the branches; other packages have none."""
    assert covered.faults([file]) == sentences
