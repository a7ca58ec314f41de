"""Canonical JSON (RFC 8785) and its digests.

Names are sorted, so equal values give equal bytes, and digests can be compared.
"""

import hashlib
from typing import Any

import orjson

Json = dict[str, Any]


def canonical(value: Any) -> bytes:
    """Return JSON values as canonical bytes (RFC 8785).

    The values are strings, whole numbers, booleans, None, lists and objects.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical bytes, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def parse_object(json_bytes: bytes | str) -> Json:
    """Return the JSON object that this service once wrote; raises ValueError if it is not JSON."""
    parsed: Json = orjson.loads(json_bytes)
    return parsed
