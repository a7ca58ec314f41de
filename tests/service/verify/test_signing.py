"""Receipts: the server's word on a commit, good for ever, and nobody else's."""

import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.keys.signer import GRACE_MS, Signer
from service.ledger.commit import Json, parse_object, timestamp
from service.ledger.record import Accepted, BadReceipt, check_receipt, sign_receipt

NOW = 1_800_000_000_000
HOUR_MS = 3_600_000
ACCEPTED = Accepted(match="m", version=7, hash="0" * 64, time=timestamp(NOW))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the keys lie."""
    return tmp_path / "data" / "keys.json"


@pytest.fixture
def signer(path: Path) -> Signer:
    """A signer whose clock ticks an hour at every look."""
    ticks = count(NOW, HOUR_MS)
    return Signer(path, lambda: next(ticks))


def test_a_signature_is_that_of_rfc_8032() -> None:
    """The signature is plain Ed25519 over the canonical JSON of the other fields.

    A fixed key gives fixed bytes.
    """
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    signed = (
        f'{{"hash":"{ACCEPTED.hash}","key":"k","match":"m",'
        '"time":"2027-01-15T08:00:00.000Z","version":7}'
    )

    receipt = sign_receipt(ACCEPTED, "k", private)

    signature = bytes.fromhex(receipt["signature"])
    private.public_key().verify(signature, signed.encode())
    assert receipt == sign_receipt(ACCEPTED, "k", private)


def test_a_receipt_is_checked_with_nothing_but_the_public_keys(signer: Signer) -> None:
    """A receipt holds match, version, hash, time, key and signature.

    The list of keys is enough to check it.
    """
    receipt = signer.sign(ACCEPTED)

    assert list(receipt) == ["match", "version", "hash", "time", "key", "signature"]
    check_receipt(receipt, signer.keys())


def test_the_keys_are_the_servers_alone(signer: Signer, path: Path) -> None:
    """The file is made at first use, for the service's eyes only."""
    signer.keys()

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_published_holds_no_private_key(signer: Signer, path: Path) -> None:
    """Whoever asks for the keys gets what is needed to check a receipt."""
    [published] = signer.keys()
    [held] = held_keys(path)

    assert set(published) == {"id", "algorithm", "public", "from", "until"}
    assert held["private"] not in str(published)


def held_keys(path: Path) -> list[Json]:
    """Return the keys as the service's file holds them."""
    keys: list[Json] = parse_object(path.read_bytes())["keys"]
    return keys


def put(name: str, value: Any) -> Callable[[Json], Json]:
    """Return the change of one field of a receipt."""
    return lambda receipt: {**receipt, name: value}


def without_time(receipt: Json) -> Json:
    return {name: value for name, value in receipt.items() if name != "time"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param(put("match", "n"), "signature is not right", id="match"),
        pytest.param(put("version", 8), "signature is not right", id="version"),
        pytest.param(put("hash", "1" * 64), "signature is not right", id="hash"),
        pytest.param(put("time", timestamp(NOW + 1)), "signature is not right", id="time"),
        pytest.param(put("signature", "00" * 64), "signature is not right", id="signature"),
        pytest.param(put("signature", "xyz"), "signature is not right", id="signature-is-no-hex"),
        pytest.param(put("signature", None), "signature is not right", id="signature-is-no-string"),
        pytest.param(put("key", "other"), "not listed", id="key"),
        pytest.param(put("more", 1), "has the fields", id="field-too-many"),
        pytest.param(without_time, "has the fields", id="field-missing"),
    ],
)
def test_a_changed_receipt_proves_nothing(
    signer: Signer, change: Callable[[Json], Json], why: str
) -> None:
    """Any change of any field is found."""
    changed = change(dict(signer.sign(ACCEPTED)))

    with pytest.raises(BadReceipt, match=why):
        check_receipt(changed, signer.keys())


def test_rotation_leaves_old_receipts_good(signer: Signer) -> None:
    """After a rotation the old key stays on the list, ended, and both receipts are good."""
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


def test_a_rotated_key_vouches_for_nothing_later(signer: Signer, path: Path) -> None:
    """Whoever steals a rotated key cannot vouch for commits made after its end."""
    signer.keys()
    [held] = held_keys(path)
    stolen = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(held["private"]))
    signer.rotate()

    late = replace(ACCEPTED, time=timestamp(NOW + 10 * HOUR_MS))
    receipt = sign_receipt(late, held["id"], stolen)

    with pytest.raises(BadReceipt, match="its key counts until"):
        check_receipt(receipt, signer.keys())


def test_the_private_part_of_a_rotated_key_is_forgotten(signer: Signer, path: Path) -> None:
    """After a rotation nobody can sign with the old key, the service included."""
    signer.keys()

    signer.rotate()

    assert "private" not in held_keys(path)[0]


def test_other_processes_learn_of_a_rotation(path: Path) -> None:
    """A signer that has signed before uses the new key at once.

    Until then a minute's grace covers it.
    """
    first = Signer(path, lambda: NOW)
    second = Signer(path, lambda: NOW)
    assert first.sign(ACCEPTED) == second.sign(ACCEPTED)

    rotated = second.rotate()

    assert first.sign(ACCEPTED)["key"] == rotated["id"]
    assert first.keys()[0]["until"] == timestamp(NOW + GRACE_MS)


def test_processes_that_start_at_once_share_one_key(path: Path) -> None:
    """Whoever makes the file first is followed by all."""
    signers = [Signer(path, lambda: NOW) for _ in range(16)]

    with ThreadPoolExecutor(16) as pool:
        receipts = list(pool.map(lambda signer: signer.sign(ACCEPTED), signers))

    assert len({receipt["key"] for receipt in receipts}) == 1


def test_rotations_at_the_same_moment_lose_no_key(path: Path) -> None:
    """Eight processes rotate at once: every key that ever signed stays listed."""
    [first] = Signer(path, lambda: NOW).keys()

    def rotate(_process: int) -> str:
        new_key = Signer(path, lambda: NOW).rotate()
        return str(new_key["id"])

    with ThreadPoolExecutor(8) as pool:
        rotated = list(pool.map(rotate, range(8)))

    keys = Signer(path, lambda: NOW).keys()
    listed = {key["id"] for key in keys}
    assert listed == {first["id"], *rotated}
