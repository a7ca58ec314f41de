"""Forgers against the verifier: records of what was never played, with every hash mended."""

import gzip
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import bound_key, draw_seed
from service.errors import BadRecord
from service.keys.signer import Accepted, sign_receipt
from service.ledger import record
from service.ledger.commit import timestamp
from service.matches.context import Context
from service.matches.records import AHEAD_MS, import_record
from service.verify.audit import verify_record
from service.verify.receipts import check_receipts
from service.verify.report import Wrong
from tests import toy
from tests.attacks.forging import (
    RELABELLINGS,
    cut,
    entries_of,
    mended,
    opening_messages,
    relabelled,
)
from tests.attacks.mutations import KEYS, PRIVATE
from tests.records import make
from tests.service.toy_matches import START, new_context, whole

ID = "a" * 26
OTHER_ID = "z" * 26

# How a record is relabelled, and the codes of what may be found.
FOUND_BY_RELABELLING = {
    "envelope": {"relabelled"},
    "field": {"commitment_broken"},
    "commitment": {"events_differ", "secrets_differ"},
    "key": {"commitment_broken"},
    "unbound": {"events_differ", "secrets_differ"},
}


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered."""
    toy.install(monkeypatch)


@pytest.mark.parametrize("how", RELABELLINGS)
@pytest.mark.parametrize("game", ["calimala", "firenze"])
def test_a_bound_record_is_right_under_its_own_id_alone(game: str, how: str) -> None:
    """M10: whatever is mended, another id is another key, and so gives other draws."""
    path = make.HOME / game / "1-3-bound-03.ndjson.gz"
    lines = record.lines(gzip.decompress(path.read_bytes()))
    assert verify_record(lines).report.verdict == "right"

    wrong = verify_record(relabelled(lines, OTHER_ID, how)).report.wrong

    assert wrong is not None
    assert wrong.code in FOUND_BY_RELABELLING[how]


def test_a_bound_key_is_no_other_matchs_secret() -> None:
    """M10: a key cannot be passed off as a secret (decision 0020).

    It is longer than a secret may be, also as HMAC sees it.
    """
    key = bound_key(bytes(range(32)), ID)

    assert len(key) == 64
    assert draw_seed(key, [""], 1) != draw_seed(key[:32], [""], 1)


@pytest.mark.parametrize(
    ("changes", "unchecked"),
    [
        pytest.param({"views": 99}, "view version 99", id="views-99"),
        pytest.param({"rules": "firenze/2", "game": "firenze"}, "firenze/2", id="rules-not-known"),
    ],
)
def test_what_cannot_be_checked_is_neither_right_nor_imported(
    ctx: Context, changes: dict[str, Any], unchecked: str
) -> None:
    """A record that claims views or rules to come is right as far as checked, and says so."""
    entries = entries_of(whole(ctx, 1))
    for message in opening_messages(entries):
        message.update(changes)
    lines = mended(entries)

    report = verify_record(lines).report
    with pytest.raises(BadRecord, match="only what is checked to the last") as refused:
        import_record(new_context(), lines)

    assert report.wrong is None
    assert report.verdict == "partly_checked"
    assert unchecked in report.unchecked[0]
    assert refused.value.code == "not_checked"


def test_a_match_of_tomorrow_is_not_imported(ctx: Context) -> None:
    """A record may be a minute ahead of this server's clock, as clocks go, and no more."""

    def ahead(milliseconds: int) -> list[bytes]:
        entries = entries_of(whole(ctx, 1))
        entries[-1]["commit"]["time"] = timestamp(START + milliseconds)
        return mended(entries)

    target = replace(new_context(), clock=lambda: START)

    _, was_there = import_record(target, ahead(AHEAD_MS - 1000))
    with pytest.raises(BadRecord) as refused:
        import_record(target, ahead(AHEAD_MS + 2000))

    assert was_there is False
    assert refused.value.code == "future"


# A match of eight commits is told as aborted after four of them, by somebody who knows the secret.
KEPT = 4
COMMITS = 8


@pytest.mark.parametrize("version", [KEPT, KEPT + 1, COMMITS])
def test_a_finished_match_told_as_aborted_is_found_by_a_later_receipt(
    ctx: Context, version: int
) -> None:
    """No record can prove that its match did not end earlier, but the receipt of any later move.

    A receipt of the part that is told is good for the forged record, too; a note says up to where
    it proves.
    """
    lines = whole(ctx, 2)
    assert len(lines) == COMMITS
    receipt = dict(sign_receipt(Accepted.of(entries_of(lines)[version - 1]), "k", PRIVATE))

    audit = verify_record(mended(cut(entries_of(lines), KEPT)))
    assert (audit.report.verdict, audit.report.status) == ("right", "aborted")

    if version == KEPT:
        check_receipts(audit, [receipt], KEYS)
        assert f"after {KEPT}" in audit.report.notes[0]
    else:
        with pytest.raises(Wrong) as found:
            check_receipts(audit, [receipt], KEYS)
        assert found.value.code in ("not_vouched", "cut_short")
