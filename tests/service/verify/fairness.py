"""A second implementation, written from docs/fairness.md alone; it imports nothing of Giornale's."""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Json = dict[str, Any]


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def key_of(secret: str, match: str | None) -> bytes:
    assert re.fullmatch("[0-9a-f]{64}", secret)
    if match is None:
        return bytes.fromhex(secret)
    return hmac.new(bytes.fromhex(secret), b"match|" + match.encode(), hashlib.sha512).digest()


def salt(key: bytes, version: int, audience: str) -> str:
    return hmac.new(key, f"salt|{version}|{audience}".encode(), hashlib.sha256).hexdigest()


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
            yield int(hashlib.sha256(seed + number.to_bytes(8, "big")).hexdigest(), 16)
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
            j = self.below(last + 1)
            result[last], result[j] = result[j], result[last]
        return result


def check_signature(receipt: Json, public: str) -> None:
    signed = {name: value for name, value in receipt.items() if name != "signature"}
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
    key.verify(bytes.fromhex(receipt["signature"]), canonical(signed))


def check_record(lines: Sequence[bytes]) -> None:
    """Check a whole record as far as the document tells how: all but the play."""
    events = [json.loads(line) for line in lines]
    entries = [event["data"] for event in events]
    prev = ""
    for number, (line, event, entry) in enumerate(zip(lines, events, entries, strict=True), 1):
        commit = entry["commit"]
        envelope = {
            "specversion": "1.0", "type": "giornale.commit", "source": "/v1/matches/" + commit["match"],
            "id": str(number), "subject": commit["match"], "time": commit["time"],
            "datacontenttype": "application/json", "data": entry,
        }  # fmt: skip
        assert event == envelope
        assert line == canonical(envelope) + b"\n"
        assert commit["version"] == number
        assert commit["prev"] == prev
        prev = digest(commit)
        assert entry["hash"] == prev
    check_secrets(entries)


def check_secrets(entries: Sequence[Json]) -> None:
    opened, revealed = entries[0]["commit"]["events"][0], entries[-1]["commit"]["events"][0]
    assert opened.get("match", entries[0]["commit"]["match"]) == entries[0]["commit"]["match"]
    key = key_of(revealed["secret"], opened.get("match"))
    assert hashlib.sha256(key).hexdigest() == opened["commitment"]
    for place in ("command", "0"):
        assert entries[0]["secrets"]["house"][place]["secret"] == revealed["secret"]
    for entry in entries:
        commit, parts = entry["commit"], entry["secrets"]
        assert revealed["parts"].get(str(commit["version"]), {}) == parts
        assert {audience: digest(part) for audience, part in parts.items()} == commit["secrets"]
        for audience, part in parts.items():
            assert part["salt"] == salt(key, commit["version"], audience)
