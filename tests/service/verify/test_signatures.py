"""Forged signatures of seats: every verifier names the same commit, with the same code (M18)."""

from pathlib import Path

import pytest

from service.ledger import record
from service.matches.context import Context
from service.matches.records import export, import_record
from tests.attacks.forging import entries_of
from tests.service.toy_matches import fault, import_fault
from tests.service.verify.forged_signatures import (
    FORGED_SIGNATURES,
    KEPT,
    PLAYED,
    SIGNED,
    SWAPPED,
    forged_signatures,
    signed_match,
)
from tests.service.verify.forgeries import fault_without_play
from tests.service.verify.node import fault_of, reports_of, with_node
from tests.signing import ADA, BEA


def test_what_is_forged_was_right() -> None:
    """What is found below is found because it is wrong."""
    assert fault(signed_match()) is None


def test_a_forged_signature_is_found_at_its_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """By one who has all the server's keys, and wherever it lies; no game is needed to find it."""
    expected = {name: verdict for name, (_forge, verdict) in FORGED_SIGNATURES.items()}
    forged = forged_signatures()

    assert {name: fault(lines) for name, lines in forged.items()} == expected
    alone = {name: fault_without_play(b"".join(one), monkeypatch) for name, one in forged.items()}
    assert alone == expected


def test_a_signed_record_is_taken_in_as_it_is_and_a_forged_one_is_not(ctx: Context) -> None:
    """M18: an import checks signatures, too."""
    assert import_fault(ctx, forged_signatures()["missing"]) == (KEPT, "signature_wrong")

    lines = signed_match()
    audit, _ = import_record(ctx, lines)
    assert audit.report.signed == sum(map(len, SIGNED.values()))
    assert list(export(ctx, audit.report.match, None)) == lines


@with_node
def test_the_page_finds_every_forged_signature(tmp_path: Path) -> None:
    """At the same commit, with the same code."""
    forged = [b"".join(lines) for lines in forged_signatures().values()]

    found = [fault_of(report) for report in reports_of(tmp_path, forged)]

    assert found == [verdict for _forge, verdict in FORGED_SIGNATURES.values()]


@with_node
def test_the_page_says_who_has_signed_what(tmp_path: Path) -> None:
    """Of each seat with a key: what it has signed, and what a bot did in its place."""
    [report] = reports_of(tmp_path, [b"".join(signed_match())])

    assert report["verdict"] == "right"
    assert report["signers"] == [
        {"seat": 0, "key": ADA.key, "signed": SIGNED[ADA.key], "unchecked": [], "bots": []},
        {"seat": 1, "key": BEA.key, "signed": SIGNED[BEA.key], "unchecked": [], "bots": [PLAYED]},
    ]


@with_node
def test_a_hidden_signature_is_not_checked_where_its_part_is_missing(tmp_path: Path) -> None:
    """In a redacted record of a match that is on; those that stand open are checked."""
    entries = entries_of(signed_match())[:-1]
    public = [record.line(record.redact(entry, [])) for entry in entries]

    [report] = reports_of(tmp_path, [b"".join(public)])

    [ada, bea] = report["signers"]
    assert report["verdict"] == "partly_checked"
    assert (ada["signed"], ada["unchecked"]) == ([KEPT], [SWAPPED])
    assert bea["signed"] == SIGNED[BEA.key]
    assert any(what.startswith("1 signatures: ") for what in report["unchecked"])
