"""Points of small order: no verifier accepts them, and verifiers agree on signatures (M18)."""

from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from service.matches.context import Context
from service.record.commit import Json
from service.record.signatures import SMALL_ORDER, fits, is_key
from tests.service.record.verify.forged_receipts import (
    FITS_MORE,
    Change,
    changed_receipt,
    said_by_page,
    said_by_program,
)
from tests.service.record.verify.node import Case, are_signed, reports, with_node
from tests.service.record.verify.small_order import encodings, mixed, pairs, points_of_small_order
from tests.service.toy_matches import whole

MIXED = 40


def is_signed(key: str, signature: str, text: str) -> bool:
    """Return True if this program accepts a signature."""
    return is_key(key) and fits(key, signature, text.encode())


def is_valid(key: str, signature: str, text: str) -> bool:
    """Return True if the library alone would accept a signature."""
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), text.encode())
    except InvalidSignature:
        return False
    return True


def signed_by_pair(public: str, signature: str) -> Change:
    """Return a change: a server has another key and signature."""

    def change(receipt: Json, key: Json) -> None:
        receipt["signature"] = signature
        key["public"] = public

    return change


def with_pairs(lines: list[bytes]) -> list[Json]:
    """Return receipts with each of the 196 pairs, as data beside a record."""
    return [changed_receipt(lines, signed_by_pair(*pair[:2])) for pair in pairs()]


@pytest.mark.whole
def test_all_encodings_of_points_of_small_order_are_known() -> None:
    """Eight points have fourteen encodings. SMALL_ORDER has the y of each point."""
    assert len(encodings()) == len(set(encodings())) == 14
    assert {y for _, y in points_of_small_order()} == set(SMALL_ORDER)


def test_no_pair_of_them_signs_anything() -> None:
    """The library alone would accept some of the 196 pairs. This program accepts none."""
    assert len(pairs()) == 196
    assert any(is_valid(*pair) for pair in pairs())
    assert not any(is_signed(*pair) for pair in pairs())


@with_node
def test_the_page_takes_none_of_them_either(tmp_path: Path) -> None:
    """The page, run in Node, accepts none of the 196 pairs."""
    assert are_signed(tmp_path, pairs()) == [False] * 196


@with_node
def test_keys_with_a_part_of_small_order_are_judged_alike(tmp_path: Path) -> None:
    """Page and program accept the same few signatures by a mixed key."""
    cases = mixed(MIXED)

    by_program = [is_signed(*case) for case in cases]

    assert 0 < sum(by_program) < MIXED
    assert are_signed(tmp_path, cases) == by_program


@pytest.mark.whole
@with_node
def test_receipts_with_them_prove_nothing(ctx: Context, tmp_path: Path) -> None:
    """For each receipt with one of the 196 pairs, program and page name the same reason."""
    lines = whole(ctx, 1)
    path = tmp_path / "record.ndjson"
    path.write_bytes(b"".join(lines))
    cases = with_pairs(lines)

    page_verdicts = reports(tmp_path, [Case(path, beside=beside) for beside in cases])

    expected = list(map(said_by_program, cases))
    assert list(map(said_by_page, page_verdicts)) == expected
    assert len(expected) == 196
    assert all(FITS_MORE in one for one in expected)
