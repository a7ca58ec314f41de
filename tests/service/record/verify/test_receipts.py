"""Receipts: signatures of the server over a commit, which stay valid."""

import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.matches.context import Context
from service.record.commit import Json, parse_object, timestamp
from service.record.record import BadReceipt, check_receipt
from service.store.keys.signer import GRACE_MS, Accepted, Signer, sign_receipt
from tests.service.record.verify.forged_receipts import (
    RECEIPTS,
    given,
    said_by_page,
    said_by_program,
)
from tests.service.record.verify.node import Case, reports, with_node
from tests.service.toy_matches import whole

NOW = 1_800_000_000_000
HOUR_MS = 3_600_000
ACCEPTED = Accepted(match="m", version=7, hash="0" * 64, time=timestamp(NOW))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of the keys."""
    return tmp_path / "data" / "keys.json"


@pytest.fixture
def signer(path: Path) -> Signer:
    """A signer. Each reading of its clock advances it by an hour."""
    ticks = count(NOW, HOUR_MS)
    return Signer(path, lambda: next(ticks))


def held_keys(path: Path) -> list[Json]:
    """Return the keys in the service's file."""
    keys: list[Json] = parse_object(path.read_bytes())["keys"]
    return keys


# ---- what is signed, and what is checked ---------------------------------------------------------


def test_a_receipt_is_checked_with_nothing_but_the_public_keys(signer: Signer) -> None:
    """A receipt has match, version, hash, time, key and signature. The public keys check it."""
    receipt = signer.sign(ACCEPTED)

    assert list(receipt) == ["match", "version", "hash", "time", "key", "signature"]
    check_receipt(receipt, signer.keys())


def test_every_receipt_is_judged_as_it_should_be(ctx: Context) -> None:
    """Each changed receipt has its own complaint, and each right one has none."""
    for name, beside in zip(RECEIPTS, given(whole(ctx, 1)), strict=True):
        sentences = said_by_program(beside)

        _change, expected = RECEIPTS[name]
        assert expected in sentences, name
        assert bool(expected) == bool(sentences), name


@with_node
def test_receipts_are_judged_alike_by_the_page(ctx: Context, tmp_path: Path) -> None:
    """Page and program accept the same receipts, and refuse others for the same reason."""
    path = tmp_path / "record.ndjson"
    lines = whole(ctx, 1)
    path.write_bytes(b"".join(lines))

    cases = [Case(path, beside=beside) for beside in given(lines)]
    by_page = [said_by_page(report) for report in reports(tmp_path, cases)]

    assert by_page == list(map(said_by_program, given(lines)))


# ---- keys ----------------------------------------------------------------------------------------


def test_private_keys_are_the_servers_alone(signer: Signer, path: Path) -> None:
    """Only the service's user can read the file. No private key is in the published part."""
    [published] = signer.keys()
    [key] = held_keys(path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert set(published) == {"id", "algorithm", "public", "from", "until"}
    assert key["private"] not in str(published)


def test_rotation_leaves_old_receipts_good(signer: Signer, path: Path) -> None:
    """A rotated key stays listed with its end. The file has no longer its private part."""
    old = signer.sign(ACCEPTED)
    new_key = signer.rotate()
    new = signer.sign(ACCEPTED)

    first, second = signer.keys()
    assert old["key"] == first["id"]
    assert new["key"] == second["id"] == new_key["id"]
    assert first["until"] is not None
    assert second["until"] is None
    for receipt in (old, new):
        check_receipt(receipt, [first, second])
    assert ["private" in key for key in held_keys(path)] == [False, True]


def test_a_rotated_key_vouches_for_nothing_later(signer: Signer, path: Path) -> None:
    """A receipt by a rotated key for a commit after its end is refused."""
    signer.keys()
    [key] = held_keys(path)
    stolen = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(key["private"]))
    signer.rotate()

    late = replace(ACCEPTED, time=timestamp(NOW + 10 * HOUR_MS))
    receipt = sign_receipt(late, key["id"], stolen)

    with pytest.raises(BadReceipt, match="its key was valid only until"):
        check_receipt(receipt, signer.keys())


def test_other_processes_learn_of_a_rotation(path: Path) -> None:
    """A signer in another process uses the new key at once.

    The old key stays valid for a minute more.
    """
    first = Signer(path, lambda: NOW)
    second = Signer(path, lambda: NOW)
    assert first.sign(ACCEPTED) == second.sign(ACCEPTED)

    rotated = second.rotate()

    assert first.sign(ACCEPTED)["key"] == rotated["id"]
    assert first.keys()[0]["until"] == timestamp(NOW + GRACE_MS)


def test_processes_that_start_at_once_share_one_key(path: Path) -> None:
    """All processes use the key of the first one."""
    signers = [Signer(path, lambda: NOW) for _ in range(16)]

    with ThreadPoolExecutor(16) as pool:
        receipts = list(pool.map(lambda signer: signer.sign(ACCEPTED), signers))

    assert len({receipt["key"] for receipt in receipts}) == 1


def test_keys_that_are_lost_are_written_again(
    path: Path, signer: Signer, caplog: pytest.LogCaptureFixture
) -> None:
    """If the file of keys is lost, a running process writes all keys again and signs on."""
    signer.sign(ACCEPTED)
    signer.rotate()
    receipt, listed = signer.sign(ACCEPTED), signer.keys()

    path.unlink()
    assert signer.sign(ACCEPTED) == receipt
    assert signer.keys() == listed
    assert Signer(path, lambda: NOW).keys() == listed
    assert "lost keys written again" in caplog.text


def test_a_key_signs_on_while_its_file_cannot_be_written(
    path: Path, signer: Signer, caplog: pytest.LogCaptureFixture
) -> None:
    """The failure is logged once. A file that is put back is used again."""
    receipt = signer.sign(ACCEPTED)
    path.parent.rename(path.parent.with_name("away"))
    path.parent.touch()

    assert signer.sign(ACCEPTED) == signer.sign(ACCEPTED) == receipt
    assert caplog.text.count("could not be written again") == 1

    path.parent.unlink()
    path.parent.with_name("away").rename(path.parent)
    rotated = Signer(path, lambda: NOW).rotate()
    assert signer.sign(ACCEPTED)["key"] == rotated["id"]


def test_rotations_at_the_same_moment_lose_no_key(path: Path) -> None:
    """Eight processes rotate at once: every signing key stays listed."""
    [first] = Signer(path, lambda: NOW).keys()

    def rotate(_process: int) -> str:
        new_key = Signer(path, lambda: NOW).rotate()
        return str(new_key["id"])

    with ThreadPoolExecutor(8) as pool:
        rotated = list(pool.map(rotate, range(8)))

    keys = Signer(path, lambda: NOW).keys()
    listed = {key["id"] for key in keys}
    assert listed == {first["id"], *rotated}
