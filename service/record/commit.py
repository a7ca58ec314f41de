"""Commits in their stored and their decoded form.

One stored commit is `{"commit":CONTENT,"hash":HEX,"secrets":{...}}`. CONTENT is the public part in
canonical JSON (RFC 8785, without fractions). In CONTENT, `secrets` holds the digests of the secret
parts, `prev` the predecessor's hash, and `view` the digest of the public view after the commit. The
hash is SHA-256 of CONTENT's bytes. The outer `secrets` holds the secret parts by audience
("seat:1", "house"): JSON objects, each with a salt. The digest of a part is SHA-256 of its
canonical bytes. So a commit verifies with any of its secret parts left out.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from time import time_ns
from typing import Any, NotRequired, TypedDict, TypeGuard

import orjson

from domain.json_types import Json as Json
from domain.wire import Message

GREATEST_NUMBER = 2**53 - 1  # greater numbers are not exact in every JSON reader
GREATEST_DEPTH = 64  # of objects and lists within one another

# The ids of matches: 128 bits in base 32 (RFC 4648), in small letters and without padding.
MATCH_ID = "[a-z2-7]{26}"
_MATCH_ID = re.compile(MATCH_ID)

_DIGEST = re.compile("[0-9a-f]{64}")

# Times: RFC 3339 in UTC with milliseconds, in the years 2000 to 2999.
_TIME = re.compile(r"2\d{3}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z", re.ASCII)


class Content(TypedDict):
    """The public part of a commit. The hash covers its bytes.

    version: the match's version after the commit, from 1.
    time: RFC 3339 in UTC with milliseconds.   actor: "owner", "house", "seat:1" and so on.
    command, events: JSON of messages without their secret fields.
    prev: the predecessor's hash, "" in the first commit.
    view: the digest of the public view after the commit, "" before the start.
    secrets: the digests of the secret parts by audience.
    signature: signature by the seat's key (M18). Only of a signed command without hidden fields.
    """

    match: str
    version: int
    time: str
    actor: str
    command: Json
    events: list[Json]
    prev: str
    view: str
    secrets: dict[str, str]
    signature: NotRequired[str]


class StoredCommit(TypedDict):
    """A commit as the journal and records hold it.

    `secrets` has the available secret parts by audience.
    """

    commit: Content
    hash: str
    secrets: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, decoded. `command` and `events` are messages.

    `time` is RFC 3339 in UTC with milliseconds.
    """

    match: str
    version: int
    time: str
    actor: str
    command: Any
    events: tuple[Message, ...]
    prev: str
    hash: str
    view: str


def parse_commit(commit_bytes: bytes) -> StoredCommit:
    """Parse one commit from the journal's bytes. Its form is not checked."""
    stored: StoredCommit = orjson.loads(commit_bytes)
    return stored


def parse_commits(many_commit_bytes: Sequence[bytes]) -> list[StoredCommit]:
    """Parse many commits from the journal's bytes at once. That is faster than one by one."""
    stored: list[StoredCommit] = orjson.loads(b"[" + b",".join(many_commit_bytes) + b"]")
    return stored


def rules_of(first: StoredCommit) -> str:
    """Return the rules version in a match's first commit."""
    rules: str = first["commit"]["events"][0]["rules"]
    return rules


# ---- canonical JSON (RFC 8785) -------------------------------------------------------------------

# Names are sorted, so equal values give equal bytes, and digests can be compared.


class NotCanonical(ValueError):
    """The value has no canonical JSON. The message gives the reason."""


def canonical(value: object) -> bytes:
    """Return JSON values as canonical bytes (RFC 8785).

    The values are strings, whole numbers, booleans, None, lists and objects.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def check_values(value: object, depth: int = GREATEST_DEPTH) -> None:
    """Check that parsed JSON has only canonical values (docs/reference/record.md, section 1).

    depth: limit of objects and lists within one another. Raises NotCanonical.
    """
    if isinstance(value, dict):
        if not all(map(str.isascii, value)):
            raise NotCanonical("it has a name that is not ASCII")
        _check_items(value.values(), depth)
    elif isinstance(value, list):
        _check_items(value, depth)
    elif isinstance(value, float):
        raise NotCanonical("it has a number that is a fraction or too large")
    elif isinstance(value, int) and not -GREATEST_NUMBER <= value <= GREATEST_NUMBER:
        raise NotCanonical("it has a whole number beyond 2^53-1")


def _check_items(items: Iterable[object], depth: int) -> None:
    """Check the values in an object or a list. Raises NotCanonical."""
    if depth == 0:
        raise NotCanonical(f"objects and lists are nested deeper than {GREATEST_DEPTH}")
    for item in items:
        # Most items are texts, and every text is canonical.
        if type(item) is not str:
            check_values(item, depth - 1)


def whole_number(value: object) -> int | None:
    """Return a parsed number as an int if it is whole. 6.0 is 6 (RFC 8785).

    None for all else: a fraction, a number beyond 2^53-1, a flag.
    """
    number = int(value) if type(value) is float and value.is_integer() else value
    if type(number) is int and -GREATEST_NUMBER <= number <= GREATEST_NUMBER:
        return number
    return None


def digest(value: object) -> str:
    """Return the SHA-256 of a value's canonical bytes, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def is_digest(value: object) -> TypeGuard[str]:
    """Return True for 32 bytes in lower-case hex, the form of digests, keys and secrets."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def parse_object(json_bytes: bytes | str) -> Json:
    """Parse a JSON object that this service once wrote. Raises ValueError if it is not JSON."""
    parsed: Json = orjson.loads(json_bytes)
    return parsed


# ---- ids and times -------------------------------------------------------------------------------


def match_id_of(number: bytes) -> str:
    """Return sixteen bytes as the id of a match."""
    return base64.b32encode(number).decode().rstrip("=").lower()


def is_match_id(text: str) -> bool:
    """Return True if a text has the form of a match's id."""
    return _MATCH_ID.fullmatch(text) is not None


def timestamp(milliseconds: int) -> str:
    """Return milliseconds since the epoch as RFC 3339 in UTC with milliseconds."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{_second(seconds)}.{rest:03d}Z"


def clock() -> int:
    """Return the present time in milliseconds since the epoch."""
    return time_ns() // 1_000_000


@lru_cache(maxsize=1024)  # each commit needs the times of the opening and of the commit before
def milliseconds(time: str) -> int:
    """Return RFC 3339 in UTC from `timestamp` as milliseconds since the epoch."""
    return round(datetime.fromisoformat(time).timestamp() * 1000)


def is_time(value: object) -> bool:
    """Return True for a valid time in the form of `timestamp`."""
    if not isinstance(value, str) or _TIME.fullmatch(value) is None:
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=8)  # most commits share their second with another
def _second(seconds: int) -> str:
    """Return a second since the epoch in UTC, without its zone."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().removesuffix("+00:00")
