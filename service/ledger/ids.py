"""The ids of matches: 128 bits in base 32 (RFC 4648), in small letters and without padding."""

import base64
import re

MATCH_ID = "[a-z2-7]{26}"  # a regular expression
_MATCH_ID = re.compile(MATCH_ID)


def match_id(number: bytes) -> str:
    """Return sixteen bytes as the id of a match."""
    return base64.b32encode(number).decode().rstrip("=").lower()


def is_match_id(text: str) -> bool:
    """Return whether a text has the form of a match's id."""
    return _MATCH_ID.fullmatch(text) is not None
