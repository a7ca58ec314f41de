"""Signatures of Ed25519 (RFC 8032): keys and signatures that can be trusted, and what seats sign.

A player's key signs the commits of their seat (M18). The signature stands in the commit's CONTENT.
Where the command hides something it lies in the seat's secret part, for it would let anybody try
what is hidden. docs/fairness.md says all of it, in sections 9 and 12.
"""

import re
from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from service.record.commit import Json, StoredCommit, canonical, is_digest

_SIGNATURE = re.compile("[0-9a-f]{128}")

# The field and the order of the curve (RFC 8032, section 5.1).
PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493

# The y of the eight points of small order. As a key each makes signatures that fit many texts.
_EIGHTH = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
SMALL_ORDER = (0, 1, PRIME - 1, _EIGHTH, PRIME - _EIGHTH)


# ---- keys and signatures -------------------------------------------------------------------------


def is_key(value: object) -> bool:
    """Return whether a value is a key, in hex, that fits only what its holder has signed."""
    return is_digest(value) and _is_point(bytes.fromhex(value))


def is_signature(value: object) -> bool:
    """Return whether a value is a point and a number below the order, in hex."""
    if not isinstance(value, str) or not _SIGNATURE.fullmatch(value):
        return False
    signature = bytes.fromhex(value)
    return _is_point(signature[:32]) and int.from_bytes(signature[32:], "little") < ORDER


def fits(key: str, signature: object, signed: bytes) -> bool:
    """Return whether a value is the signature of some bytes by a key, which `is_key` takes."""
    if not isinstance(signature, str) or not is_signature(signature):
        return False
    try:
        _parsed(key).verify(bytes.fromhex(signature), signed)
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=1024)  # a seat signs many commits with one key
def _parsed(key: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))


def _is_point(encoded: bytes) -> bool:
    """Return whether 32 bytes encode a point in the one way there is, and not of small order.

    The highest bit is the sign of x; the others are y, which is below the field's prime.
    """
    y = int.from_bytes(encoded, "little") & ((1 << 255) - 1)
    return y < PRIME and y not in SMALL_ORDER


# ---- what a seat signs ---------------------------------------------------------------------------


def text_to_sign(match: str, version: int, prev: str, key: str, command: Json) -> bytes:
    """Return the bytes that a seat signs.

    version: which the commit makes.   prev: the hash of the commit before.   key: the seat's.
    command: the whole, with its secret fields.
    """
    signed = {"command": command, "key": key, "match": match, "prev": prev, "version": version}
    return canonical(signed)


def join_text(match: str, prev: str, seat: int, key: str) -> bytes:
    """Return the bytes that a key signs to join: the proof that its holder takes the seat.

    prev: the hash of the commit before the join.
    """
    return canonical({"key": key, "match": match, "prev": prev, "seat": seat})


def opening_text(request: Json, idempotency_key: str, seat: int, key: str) -> bytes:
    """Return the bytes that a key signs to hold a seat from the opening.

    request: the body without the proofs of its seats.
    """
    signed = {"idempotency_key": idempotency_key, "key": key, "open": request, "seat": seat}
    return canonical(signed)


def is_signed(stored: StoredCommit) -> bool:
    """Return whether a commit, of which all secret parts are here, carries a signature."""
    content = stored["commit"]
    own = stored["secrets"].get(content["actor"], {})
    return "signature" in content or "signature" in own
