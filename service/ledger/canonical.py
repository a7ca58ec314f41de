"""Canonical JSON (RFC 8785) and its digests.

Names are sorted, so equal values give equal bytes, and digests can be compared.
"""

import hashlib
from collections.abc import Iterable
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
    if isinstance(value, dict):
        if not all(map(str.isascii, value)):
            raise NotCanonical("it holds a name that is not ASCII")
        _check_items(value.values(), depth)
    elif isinstance(value, list):
        _check_items(value, depth)
    elif isinstance(value, float):
        raise NotCanonical("it holds a number that is written as a fraction or is too large")
    elif isinstance(value, int) and not -GREATEST_NUMBER <= value <= GREATEST_NUMBER:
        raise NotCanonical("it holds a whole number beyond 2^53-1")


def _check_items(items: Iterable[Any], depth: int) -> None:
    """Check what lies in an object or a list; raises NotCanonical."""
    if depth == 0:
        raise NotCanonical(f"more than {GREATEST_DEPTH} objects and lists lie in one another")
    for item in items:
        # Most are texts, of which every one is canonical.
        if type(item) is not str:
            check_values(item, depth - 1)


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
