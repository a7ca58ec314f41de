"""Canonical JSON (RFC 8785) and its digests.

Names are sorted, so equal values give equal bytes, and digests can be compared.
"""

import hashlib
from typing import Any

import orjson

Json = dict[str, Any]

GREATEST_NUMBER = 2**53 - 1  # greater ones are not exact in every JSON reader
GREATEST_DEPTH = 64  # of objects and lists within one another


class NotCanonical(ValueError):
    """A value that canonical JSON does not have; the message says which."""


def canonical(value: Any) -> bytes:
    """Return JSON values as canonical bytes (RFC 8785).

    The values are strings, whole numbers, booleans, None, lists and objects.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def check_values(value: Any, depth: int = GREATEST_DEPTH) -> None:
    """Check that parsed JSON holds what canonical JSON has (docs/fairness.md, section 1).

    depth: how many objects and lists may lie within one another. Raises NotCanonical.
    """
    kind = type(value)
    if kind is int:
        if not -GREATEST_NUMBER <= value <= GREATEST_NUMBER:
            raise NotCanonical("it holds a whole number beyond 2^53-1")
    elif kind is float:
        raise NotCanonical("it holds a number that is written as a fraction or is too large")
    elif kind is dict or kind is list:
        if depth == 0:
            raise NotCanonical(f"more than {GREATEST_DEPTH} objects and lists lie in one another")
        _check_members(value, depth - 1)


def _check_members(value: Json | list[Any], depth: int) -> None:
    """Check what an object or a list holds, and an object's names; raises NotCanonical."""
    if isinstance(value, list):
        for item in value:
            check_values(item, depth)
        return

    for name, item in value.items():
        if not name.isascii():
            raise NotCanonical("it holds a name that is not ASCII")
        check_values(item, depth)


def whole_number(value: Any) -> int | None:
    """Return a parsed number that is whole, however it was written: 6.0 is 6 (RFC 8785).

    None for all else: a fraction, a number beyond 2^53-1, a flag.
    """
    if type(value) is float and value.is_integer():
        value = int(value)
    is_whole = type(value) is int and -GREATEST_NUMBER <= value <= GREATEST_NUMBER
    return value if is_whole else None


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical bytes, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def parse_object(json_bytes: bytes | str) -> Json:
    """Return the JSON object that this service once wrote; raises ValueError if it is not JSON."""
    parsed: Json = orjson.loads(json_bytes)
    return parsed
