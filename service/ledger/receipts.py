"""Receipts: the server's word that a commit was accepted, signed with Ed25519 (RFC 8032).

A receipt is `{"match","version","hash","time","key","signature"}`. The signature, in hex, is over
the canonical JSON of the other five; `time` is the commit's own, `key` names the key.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.ledger.canonical import Json, canonical
from service.ledger.commit import StoredCommit

SIGNED = ("match", "version", "hash", "time", "key")


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


def check_receipt(receipt: Json, keys: Sequence[Json]) -> None:
    """Check a receipt against public keys as `GET /v1/keys` lists them; raises BadReceipt."""
    if not isinstance(receipt, dict) or receipt.keys() != {*SIGNED, "signature"}:
        raise BadReceipt(f"a receipt has the fields {', '.join(SIGNED)} and signature")

    key = _listed_key(receipt, keys)
    signed = canonical({name: receipt[name] for name in SIGNED})
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key["public"]))
        public.verify(bytes.fromhex(receipt["signature"]), signed)
        too_late = key["until"] is not None and receipt["time"] > key["until"]
    except (InvalidSignature, ValueError, TypeError):
        raise BadReceipt("its signature is not right") from None

    if too_late:
        raise BadReceipt(f"its key counts until {key['until']} only")


def _listed_key(receipt: Json, keys: Sequence[Json]) -> Json:
    """Return the key that a receipt names; raises BadReceipt if it is not listed."""
    for key in keys:
        if key["id"] == receipt["key"]:
            return key
    raise BadReceipt(f"it is signed with the key {receipt['key']}, which is not listed")
