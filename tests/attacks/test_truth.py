"""Forgers against the verifier: records of what was never played, with every hash mended."""

import gzip
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import bound_key, draw_seed
from service.errors import BadRecord
from service.ledger import record
from service.ledger.commit import Json, timestamp
from service.ledger.record import Accepted, sign_receipt
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
from tests.attacks.true_records import KEYS, PRIVATE
from tests.records import make
from tests.service.toy_matches import START, new_context, whole

SECRET = bytes(range(32))
ID = "a" * 26
OTHER_ID = "z" * 26


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered."""
    toy.install(monkeypatch)


# How a record is relabelled, and the codes of what may be found.
FOUND_BY_RELABELLING = {
    "envelope": {"relabelled"},
    "field": {"commitment_broken"},
    "commitment": {"events_differ", "secrets_differ"},
    "key": {"commitment_broken"},
    "unbound": {"events_differ", "secrets_differ"},
}


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
    key = bound_key(SECRET, ID)
    beginning = key[:32]

    assert len(key) == 64
    assert draw_seed(key, [""], 1) != draw_seed(beginning, [""], 1)


def change_opening(ctx: Context, changes: dict[str, Any]) -> list[bytes]:
    """Return a record whose opening says something else, in command and event alike."""
    entries = entries_of(whole(ctx, 1))
    for message in opening_messages(entries):
        message.update(changes)
    return mended(entries)


TO_COME = pytest.mark.parametrize(
    ("changes", "unchecked"),
    [
        pytest.param({"views": 99}, "view version 99", id="views-99"),
        pytest.param({"rules": "firenze/2", "game": "firenze"}, "firenze/2", id="rules-not-known"),
    ],
)


@TO_COME
def test_what_cannot_be_checked_is_not_right(
    ctx: Context, changes: dict[str, Any], unchecked: str
) -> None:
    """A record that claims views or rules to come is right as far as checked, and says so."""
    report = verify_record(change_opening(ctx, changes)).report

    assert report.wrong is None
    assert report.verdict == "partly_checked"
    assert unchecked in report.unchecked[0]


@TO_COME
def test_what_cannot_be_checked_is_not_imported(
    ctx: Context, changes: dict[str, Any], unchecked: str
) -> None:
    """A record that claims views or rules to come is refused."""
    lines = change_opening(ctx, changes)

    with pytest.raises(BadRecord, match="only what is checked to the last") as refused:
        import_record(new_context(), lines)
    assert refused.value.code == "not_checked"


def ahead(ctx: Context, milliseconds: int) -> list[bytes]:
    """Return a record whose last commit is so far ahead of START."""
    entries = entries_of(whole(ctx, 1))
    entries[-1]["commit"]["time"] = timestamp(START + milliseconds)
    return mended(entries)


def test_a_match_of_another_clock_is_imported(ctx: Context) -> None:
    """A record may be a minute ahead of this server's clock, as clocks go."""
    target = replace(new_context(), clock=lambda: START)

    _, was_there = import_record(target, ahead(ctx, AHEAD_MS - 1000))

    assert was_there is False


def test_a_match_of_tomorrow_is_not_imported(ctx: Context) -> None:
    """More than a minute ahead is no matter of clocks."""
    target = replace(new_context(), clock=lambda: START)

    with pytest.raises(BadRecord) as refused:
        import_record(target, ahead(ctx, AHEAD_MS + 2000))
    assert refused.value.code == "future"


# A match of eight commits is told as aborted after four of them, by somebody who knows the secret.
KEPT = 4
COMMITS = 8


@pytest.fixture
def true_lines(ctx: Context) -> list[bytes]:
    """The record of a match that was played to its end."""
    lines = whole(ctx, 2)
    assert len(lines) == COMMITS
    return lines


def told_as_aborted(lines: list[bytes]) -> list[bytes]:
    """Return the record of a match as if it had been aborted earlier."""
    return mended(cut(entries_of(lines), KEPT))


def receipt_of(lines: list[bytes], version: int) -> Json:
    """Return the server's receipt for a commit of a record."""
    entry = entries_of(lines)[version - 1]
    return dict(sign_receipt(Accepted.of(entry), "k", PRIVATE))


def test_a_finished_match_told_as_aborted_is_right_by_itself(true_lines: list[bytes]) -> None:
    """No record can prove that it did not end earlier."""
    report = verify_record(told_as_aborted(true_lines)).report

    assert report.verdict == "right"
    assert report.status == "aborted"


def test_a_receipt_of_the_part_that_is_told_does_not_help(true_lines: list[bytes]) -> None:
    """The receipt is good for the forged record, too; a note says up to where it proves."""
    audit = verify_record(told_as_aborted(true_lines))

    check_receipts(audit, [receipt_of(true_lines, KEPT)], KEYS)

    assert f"after {KEPT}" in audit.report.notes[0]


@pytest.mark.parametrize("version", [KEPT + 1, COMMITS])
def test_a_finished_match_told_as_aborted_is_found_by_a_later_receipt(
    true_lines: list[bytes], version: int
) -> None:
    """The receipt of any later move convicts."""
    audit = verify_record(told_as_aborted(true_lines))
    later_receipt = receipt_of(true_lines, version)

    with pytest.raises(Wrong) as found:
        check_receipts(audit, [later_receipt], KEYS)
    assert found.value.code in ("not_vouched", "cut_short")
