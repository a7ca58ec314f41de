"""The verifiers agree: this program's and the page's find the same in forged records and receipts.

The page's runs in Node here; tests/browser lets a browser judge the same.
"""

from pathlib import Path

import pytest

from service.ledger import record
from service.ledger.record import PRIME, SMALL_ORDER
from service.matches.context import Context
from service.verify.audit import verify_record
from tests.service.toy_matches import fault, whole
from tests.service.verify.forged_receipts import RECEIPTS, given, said_by_page, said_by_program
from tests.service.verify.forgeries import (
    COUNT,
    fault_without_play,
    forged_records,
    with_changes,
)
from tests.service.verify.node import Case, fault_of, reports, with_node

LEAST = 30  # of the forged records are wrong by what needs no game, and as many are not


@with_node
def test_forged_records_are_judged_alike(
    ctx: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same commit and the same code, or both find nothing wrong."""
    forged = list(forged_records(ctx))

    by_page = [fault_of(report) for report in reports(tmp_path, cases_of(tmp_path, forged))]

    assert by_page == [fault_without_play(one, monkeypatch) for one in forged]
    assert len(forged) == COUNT
    assert LEAST < by_page.count(None) < COUNT - LEAST


@with_node
def test_what_no_check_can_tell_is_told_alike(ctx: Context, tmp_path: Path) -> None:
    """Commits that only move the next draw are counted by the page, too."""
    lines = with_changes(ctx)

    [report] = reports(tmp_path, cases_of(tmp_path, [b"".join(lines)]))

    notes = verify_record(lines).report.notes
    assert len(notes) == 1
    assert notes[0].startswith("6 of ")
    assert report["notes"] == notes


def cases_of(directory: Path, forged: list[bytes]) -> list[Case]:
    """Write records into files, and return them as cases."""
    cases = []
    for number, one in enumerate(forged):
        path = directory / f"{number}.ndjson"
        path.write_bytes(one)
        cases.append(Case(path))
    return cases


def test_what_is_wrong_without_play_is_wrong_with_it(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game that can be played changes nothing in what is found of all records."""
    for one in forged_records(ctx):
        expected = fault_without_play(one, monkeypatch)
        assert expected is None or fault(record.lines(one)) == expected


@with_node
def test_receipts_are_judged_alike(ctx: Context, tmp_path: Path) -> None:
    """Every receipt is right by both, or proves nothing for the same reason."""
    path = tmp_path / "record.ndjson"
    lines = whole(ctx, 1)
    path.write_bytes(b"".join(lines))

    cases = [Case(path, beside=beside) for beside in given(lines)]
    by_page = [said_by_page(report) for report in reports(tmp_path, cases)]

    by_program = list(map(said_by_program, given(lines)))
    assert by_page == by_program
    for name, said in zip(RECEIPTS, by_program, strict=True):
        expected = RECEIPTS[name][1]
        assert expected in said, name
        assert bool(expected) == bool(said), name


def test_the_points_of_small_order_are_those_that_are_refused() -> None:
    """RFC 8032, 5.1: a point, added to itself eight times, is the group's nothing."""
    eighth = bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")
    x, y = decoded(eighth)
    multiples = [(0, 1)]
    for _ in range(8):
        multiples.append(added(multiples[-1], (x, y)))

    assert multiples[8] == (0, 1)
    assert len(set(multiples[:8])) == 8
    assert {multiple[1] for multiple in multiples} == set(SMALL_ORDER)


# The curve -x^2 + y^2 = 1 + D x^2 y^2 over the field of PRIME elements.
D = -121665 * pow(121666, -1, PRIME) % PRIME


def decoded(encoded: bytes) -> tuple[int, int]:
    """Return one of the two points whose y is encoded."""
    y = int.from_bytes(encoded, "little") % 2**255
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if x * x % PRIME != square:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    assert x * x % PRIME == square
    return x, y


def added(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """Return the sum of two points."""
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, PRIME)
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, PRIME)
    return x % PRIME, y % PRIME
