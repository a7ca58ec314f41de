"""A second implementation, written from docs/fairness.md alone.

It imports nothing of Giornale's.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Json = dict[str, Any]


def canonical(value: Any) -> bytes:
    """Return a JSON value in its one canonical form."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def is_canonical(text: str) -> bool:
    """Return whether a text is canonical JSON."""
    try:
        value = json.loads(text, parse_float=refused, parse_constant=refused)
        return is_plain(value, 64) and canonical(value) == text.encode()
    except ValueError:
        return False


def refused(number: str) -> None:
    """Refuse a number that is written as a fraction or with an exponent."""
    raise ValueError(number)


def is_plain(value: Any, depth: int) -> bool:
    """Return whether a value is one of canonical JSON, nothing lying deeper than so in it."""
    if isinstance(value, int):
        return abs(value) < 2**53
    if isinstance(value, list):
        return depth > 0 and all(is_plain(item, depth - 1) for item in value)
    if isinstance(value, dict):
        named = all(name.isascii() for name in value)
        return depth > 0 and named and all(is_plain(value[name], depth - 1) for name in value)
    return True


def digest(value: Any) -> str:
    """Return the SHA-256 of a JSON value's canonical form, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def key_of(secret: str, match: str | None) -> bytes:
    """Return the key that a secret, in hex, gives; match: the id it is bound to, if to any."""
    assert re.fullmatch("[0-9a-f]{64}", secret)
    secret_bytes = bytes.fromhex(secret)
    if match is None:
        return secret_bytes

    text = f"match|{match}"
    return hmac.new(secret_bytes, text.encode(), hashlib.sha512).digest()


def salt(key: bytes, version: int, audience: str) -> str:
    """Return the salt of the part that a commit has for an audience, in hex."""
    text = f"salt|{version}|{audience}"
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def seed(key: bytes, entropy: Sequence[str], version: int) -> bytes:
    """Return the seed of a commit's draws; entropy: of each seat, in hex."""
    text = "|".join(["draw", str(version), *entropy])
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Stream:
    """The numbers below n that a seed gives."""

    def __init__(self, seed: bytes) -> None:
        self.numbers = self.read(seed)

    def read(self, seed: bytes) -> Iterator[int]:
        """Yield numbers below 2^256, one for each block."""
        for block_number in count():
            block = hashlib.sha256(seed + block_number.to_bytes(8, "big"))
            yield int(block.hexdigest(), 16)

    def below(self, n: int) -> int:
        """Return a number below n; those are passed over that would favour some."""
        limit = 2**256 - 2**256 % n
        for number in self.numbers:
            if number < limit:
                return number % n
        raise AssertionError("the numbers have no end")

    def kind(self, counts: Sequence[int]) -> int:
        """Return the kind of a thing drawn from a bag; counts: how many there are of each."""
        things: list[int] = []
        for kind, number in enumerate(counts):
            things += [kind] * number
        return things[self.below(len(things))]

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        """Return items in a drawn order."""
        result = list(items)
        for last in reversed(range(1, len(result))):
            chosen = self.below(last + 1)
            result[last], result[chosen] = result[chosen], result[last]
        return result


def check_signature(receipt: Json, public: str) -> None:
    """Check the signature of a receipt; public: the key, in hex."""
    signed = {name: value for name, value in receipt.items() if name != "signature"}
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
    key.verify(bytes.fromhex(receipt["signature"]), canonical(signed))


def check_record(lines: Sequence[bytes]) -> None:
    """Check a whole record as far as the document tells how: all but the play."""
    entries = []
    hash_before = ""
    for number, line in enumerate(lines, 1):
        entry = check_line(number, line)
        assert entry["commit"]["prev"] == hash_before
        hash_before = entry["hash"]
        entries.append(entry)
    check_secrets(entries)


def check_line(number: int, line: bytes) -> Json:
    """Check one line in itself; return the commit with its hash and its secret parts."""
    assert is_canonical(line.decode().removesuffix("\n"))
    event = json.loads(line)
    entry: Json = event["data"]
    commit = entry["commit"]
    envelope = {
        "specversion": "1.0",
        "type": "giornale.commit",
        "source": "/v1/matches/" + commit["match"],
        "id": str(number),
        "subject": commit["match"],
        "time": commit["time"],
        "datacontenttype": "application/json",
        "data": entry,
    }
    assert event == envelope
    assert line == canonical(envelope) + b"\n"
    assert commit["version"] == number
    assert entry["hash"] == digest(commit)
    return entry


def check_secrets(entries: Sequence[Json]) -> None:
    """Check that what is revealed at the end is what was sealed in every commit."""
    first = entries[0]
    last = entries[-1]
    opened = first["commit"]["events"][0]
    revealed = last["commit"]["events"][0]

    match = opened.get("match")
    assert match in (None, first["commit"]["match"])
    key = key_of(revealed["secret"], match)
    assert hashlib.sha256(key).hexdigest() == opened["commitment"]

    sealed = first["secrets"]["house"]
    assert sealed["command"]["secret"] == revealed["secret"]
    assert sealed["0"]["secret"] == revealed["secret"]

    for entry in entries:
        check_parts(entry, revealed["parts"], key)


def check_parts(entry: Json, revealed_parts: Json, key: bytes) -> None:
    """Check the secret parts of a commit: revealed as they are, with their digests and salts."""
    commit = entry["commit"]
    version = commit["version"]
    parts = entry["secrets"]

    assert parts == revealed_parts.get(str(version), {})
    assert parts.keys() == commit["secrets"].keys()
    for audience, part in parts.items():
        assert digest(part) == commit["secrets"][audience]
        assert part["salt"] == salt(key, version, audience)
