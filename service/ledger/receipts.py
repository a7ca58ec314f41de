"""Receipts: the server's word that a commit was accepted, signed with Ed25519 (RFC 8032)."""

from collections.abc import Sequence

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from service.ledger import codec
from service.ledger.codec import Json

SIGNED = ("match", "version", "hash", "time", "key")


class BadReceipt(Exception):
    """A receipt that proves nothing; the message says why."""


def sign_receipt(entry: Json, key_id: str, private: Ed25519PrivateKey) -> Json:
    """Return the receipt of a commit (an entry with its `commit` and `hash`)."""
    commit = entry["commit"]
    receipt = {
        "match": commit["match"],
        "version": commit["version"],
        "hash": entry["hash"],
        "time": commit["time"],
    }
    receipt["key"] = key_id
    return {**receipt, "signature": private.sign(codec.canonical(receipt)).hex()}


def check_receipt(receipt: Json, keys: Sequence[Json]) -> None:
    """Check a receipt against public keys as `GET /v1/keys` lists them; raises BadReceipt."""
    if not isinstance(receipt, dict) or receipt.keys() != {*SIGNED, "signature"}:
        raise BadReceipt(f"a receipt has the fields {', '.join(SIGNED)} and signature")
    key = next((key for key in keys if key["id"] == receipt["key"]), None)
    if key is None:
        raise BadReceipt(f"it is signed with the key {receipt['key']}, which is not listed")
    signed = codec.canonical({name: receipt[name] for name in SIGNED})
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key["public"]))
        public.verify(bytes.fromhex(receipt["signature"]), signed)
        late = key["until"] is not None and receipt["time"] > key["until"]
    except (InvalidSignature, ValueError, TypeError):
        raise BadReceipt("its signature is not right") from None
    if late:
        raise BadReceipt(f"its key counts until {key['until']} only")
