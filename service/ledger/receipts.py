"""Receipts: the server's word that a commit was accepted, signed with Ed25519 (RFC 8032).

A receipt is `{"match","version","hash","time","key","signature"}`. The signature, in hex, is over
the canonical JSON of the other five; `time` is the commit's own, `key` names the key.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.ledger.canonical import Json, canonical, whole_number
from service.ledger.commit import StoredCommit
from service.ledger.times import is_time

SIGNED = ("match", "version", "hash", "time", "key")

_PUBLIC_KEY = re.compile("[0-9a-f]{64}")
_SIGNATURE = re.compile("[0-9a-f]{128}")

# The field and the order of the curve (RFC 8032, section 5.1).
PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493

# The y of the eight points of small order. As a key each makes signatures that fit many texts.
_EIGHTH = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
SMALL_ORDER = (0, 1, PRIME - 1, _EIGHTH, PRIME - _EIGHTH)


class BadReceipt(Exception):
    """A receipt that proves nothing; the message says why."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The commit that a receipt vouches for, as far as the receipt names it."""

    match: str
    version: int
    hash: str
    time: str

    @classmethod
    def of(cls, stored: StoredCommit) -> "Accepted":
        """Return what a receipt names of a stored commit."""
        content = stored["commit"]
        return cls(
            match=content["match"],
            version=content["version"],
            hash=stored["hash"],
            time=content["time"],
        )


def sign_receipt(accepted: Accepted, key_id: str, private: Ed25519PrivateKey) -> Json:
    """Return the receipt of an accepted commit."""
    receipt: Json = {
        "match": accepted.match,
        "version": accepted.version,
        "hash": accepted.hash,
        "time": accepted.time,
        "key": key_id,
    }
    signature = private.sign(canonical(receipt))
    return {**receipt, "signature": signature.hex()}


def check_receipt(receipt: object, keys: Sequence[object]) -> Json:
    """Return a receipt that was checked against public keys as `GET /v1/keys` lists them.

    Its version is an int, also where it was written as 6.0. Raises BadReceipt.
    """
    checked = _well_formed(receipt)
    key = _listed_key(checked["key"], keys)
    _check_signature(checked, key["public"])

    until = key["until"]
    if until is not None and checked["time"] > until:
        raise BadReceipt(f"its key counts until {until} only")
    return checked


def _well_formed(receipt: object) -> Json:
    """Return a receipt that has all its fields and no others; raises BadReceipt."""
    if not isinstance(receipt, dict) or receipt.keys() != {*SIGNED, "signature"}:
        raise BadReceipt(f"a receipt has the fields {', '.join(SIGNED)} and signature")

    version = whole_number(receipt["version"])
    texts = [receipt[name] for name in ("match", "hash", "time", "key")]
    if version is None or version < 1 or not all(isinstance(text, str) for text in texts):
        raise BadReceipt("its version must be a whole number from 1, its other fields texts")
    if not is_time(receipt["time"]):
        raise BadReceipt("its time is not one in UTC with milliseconds")
    return {**receipt, "version": version}


def _listed_key(key_id: str, keys: Sequence[object]) -> Json:
    """Return the key that a receipt names; raises BadReceipt if it is not listed as a key is."""
    for key in keys:
        if isinstance(key, dict) and key.get("id") == key_id:
            break
    else:
        raise BadReceipt(f"it is signed with the key {key_id}, which is not listed")

    public = key.get("public")
    if not isinstance(public, str) or not _PUBLIC_KEY.fullmatch(public):
        raise BadReceipt(f"its key {key_id} is not 32 bytes in lower-case hex")
    if not _is_point(bytes.fromhex(public)):
        raise BadReceipt(f"its key {key_id} is one that fits more than its holder has signed")

    until = key.get("until", "")
    if until is not None and not is_time(until):
        raise BadReceipt(f"its key {key_id} does not say until when it counts: a time, or null")
    return key


def _check_signature(receipt: Json, public: str) -> None:
    """Check the signature of a receipt; public: the key, in hex. Raises BadReceipt."""
    not_right = BadReceipt("its signature is not right")
    signature = receipt["signature"]
    if not _is_signature(signature):
        raise not_right
    try:
        signed = canonical({name: receipt[name] for name in SIGNED})
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), signed)
    except (InvalidSignature, ValueError, TypeError):
        raise not_right from None


def _is_signature(value: object) -> bool:
    """Return whether a value is a point and a number below the order, in hex."""
    if not isinstance(value, str) or not _SIGNATURE.fullmatch(value):
        return False
    signature = bytes.fromhex(value)
    return _is_point(signature[:32]) and int.from_bytes(signature[32:], "little") < ORDER


def _is_point(encoded: bytes) -> bool:
    """Return whether 32 bytes encode a point in the one way there is, and not of small order.

    The highest bit is the sign of x; the others are y, which is below the field's prime.
    """
    y = int.from_bytes(encoded, "little") & ((1 << 255) - 1)
    return y < PRIME and y not in SMALL_ORDER
