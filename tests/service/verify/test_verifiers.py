"""The verifiers agree: of forged records this program's and the page's find the same, or nothing.

The page's runs in Node here; tests/browser lets a browser judge the same records.
"""

from pathlib import Path

import pytest

from service.ledger import record
from service.matches.desk import Desk
from tests.service.toy_matches import fault
from tests.service.verify.forgeries import COUNT, fault_without_play, forged_records
from tests.service.verify.node import Case, fault_of, reports, with_node

LEAST = 30  # of the forged records are wrong by what needs no game, and as many are not


@with_node
def test_forged_records_are_judged_alike(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same commit and the same code, or both find nothing wrong."""
    forged = list(forged_records(desk))

    by_page = [fault_of(report) for report in reports(tmp_path, cases_of(tmp_path, forged))]

    assert by_page == [fault_without_play(one, monkeypatch) for one in forged]
    assert len(forged) == COUNT
    assert LEAST < by_page.count(None) < COUNT - LEAST


def cases_of(directory: Path, forged: list[bytes]) -> list[Case]:
    """Write records into files, and return them as cases."""
    cases = []
    for number, one in enumerate(forged):
        path = directory / f"{number}.ndjson"
        path.write_bytes(one)
        cases.append(Case(path))
    return cases


def test_what_is_wrong_without_play_is_wrong_with_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game that can be played changes nothing in what is found of all records."""
    for one in forged_records(desk):
        expected = fault_without_play(one, monkeypatch)
        assert expected is None or fault(record.lines(one)) == expected
