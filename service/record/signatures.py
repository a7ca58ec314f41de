"""Signatures of Ed25519 (RFC 8032): checks of keys and signatures, and the texts that seats sign.

A player's key signs commits of the player's seat (M18). The signature stands in the commit's
CONTENT. If the command hides something, the signature stands in the seat's secret part instead,
since a public signature would let anybody test guesses of the hidden fields. The details are in
docs/reference/proofs.md, sections 9 and 12.
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

# The y of the eight points of small order. A signature of such a key fits many texts.
_EIGHTH = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
SMALL_ORDER = (0, 1, PRIME - 1, _EIGHTH, PRIME - _EIGHTH)


# ---- keys and signatures -------------------------------------------------------------------------


def is_key(value: object) -> bool:
    """Return True for 32 bytes in hex in the form of a key (`_is_point`)."""
    return is_digest(value) and _is_point(bytes.fromhex(value))


def is_signature(value: object) -> bool:
    """Return True for the form of a point (`_is_point`) and a number below the order, in hex."""
    if not isinstance(value, str) or not _SIGNATURE.fullmatch(value):
        return False
    signature = bytes.fromhex(value)
    return _is_point(signature[:32]) and int.from_bytes(signature[32:], "little") < ORDER


def fits(key: str, signature: object, signed: bytes) -> bool:
    """Return True if a value is a key's signature of some bytes. The key must pass `is_key`."""
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
    """Return True if 32 bytes have the form of a point, and not of one of small order.

    The highest bit is the sign of x. The others are y, below the field's prime. The curve may have
    no point with this y. Then no signature fits.
    """
    y = int.from_bytes(encoded, "little") & ((1 << 255) - 1)
    return y < PRIME and y not in SMALL_ORDER


# ---- what a seat signs ---------------------------------------------------------------------------


def text_to_sign(match: str, version: int, prev: str, key: str, command: Json) -> bytes:
    """Return the bytes that a seat signs.

    version: version of the match after the commit.   prev: hash of the previous commit.
    key: key of the seat.   command: the whole command, with its secret fields.
    """
    signed = {"command": command, "key": key, "match": match, "prev": prev, "version": version}
    return canonical(signed)


def join_text(match: str, prev: str, seat: int, key: str) -> bytes:
    """Return the bytes that a key signs as proof of its holder's join.

    prev: hash of the commit before the join.
    """
    return canonical({"key": key, "match": match, "prev": prev, "seat": seat})


def opening_text(request: Json, idempotency_key: str, seat: int, key: str) -> bytes:
    """Return the bytes that a key signs to hold a seat from the opening.

    request: the body without the proofs of its seats.
    """
    signed = {"idempotency_key": idempotency_key, "key": key, "open": request, "seat": seat}
    return canonical(signed)


def is_signed(stored: StoredCommit) -> bool:
    """Return True if a commit carries a signature. All its secret parts must be present."""
    content = stored["commit"]
    own = stored["secrets"].get(content["actor"], {})
    return "signature" in content or "signature" in own
