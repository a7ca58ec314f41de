"""A second implementation, written from docs/fairness.md alone.

It imports nothing of Giornale's.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Json = dict[str, Any]


def canonical(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def digest(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def key_of(secret: str, match: str | None) -> bytes:
    assert re.fullmatch("[0-9a-f]{64}", secret)
    if match is None:
        return bytes.fromhex(secret)
    return hmac.new(bytes.fromhex(secret), b"match|" + match.encode(), hashlib.sha512).digest()


def salt(key: bytes, version: int, audience: str) -> str:
    text = f"salt|{version}|{audience}"
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def seed(key: bytes, entropy: Sequence[str], version: int) -> bytes:
    text = f"draw|{version}" + "".join(f"|{one}" for one in entropy)
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Stream:
    """The numbers below n that a seed gives."""

    def __init__(self, seed: bytes) -> None:
        self.numbers = self.read(seed)

    def read(self, seed: bytes) -> Iterator[int]:
        number = 0
        while True:
            block = hashlib.sha256(seed + number.to_bytes(8, "big"))
            yield int(block.hexdigest(), 16)
            number += 1

    def below(self, n: int) -> int:
        limit = 2**256 - 2**256 % n
        return next(number for number in self.numbers if number < limit) % n

    def kind(self, counts: Sequence[int]) -> int:
        things = [kind for kind, count in enumerate(counts) for _ in range(count)]
        return things[self.below(len(things))]

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        result = list(items)
        for last in reversed(range(1, len(result))):
            chosen = self.below(last + 1)
            result[last], result[chosen] = result[chosen], result[last]
        return result


def check_signature(receipt: Json, public: str) -> None:
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
    first, last = entries[0], entries[-1]
    opened = first["commit"]["events"][0]
    revealed = last["commit"]["events"][0]

    match = opened.get("match")
    assert match in (None, first["commit"]["match"])
    key = key_of(revealed["secret"], match)
    assert hashlib.sha256(key).hexdigest() == opened["commitment"]
    for place in ("command", "0"):
        assert first["secrets"]["house"][place]["secret"] == revealed["secret"]

    for entry in entries:
        version = entry["commit"]["version"]
        parts = entry["secrets"]
        assert revealed["parts"].get(str(version), {}) == parts
        assert entry["commit"]["secrets"] == {
            audience: digest(part) for audience, part in parts.items()
        }
        for audience, part in parts.items():
            assert part["salt"] == salt(key, version, audience)
