"""All randomness of the domain. Any language can repeat `Draws` (docs/reference/record.md)."""

import hashlib
import hmac
import random
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Protocol, TypeVar

Item = TypeVar("Item")

_DIGESTS = 1 << 256  # the number of different digests


class Chance(Protocol):
    """A source of random whole numbers."""

    def below(self, limit: int, /) -> int:
        """Return a uniform whole number in 0..limit-1 (limit >= 1)."""
        ...


class Draws:
    """The stream of draws of a 32-byte seed.

    Number i of the stream is SHA-256(seed || i as 8 bytes, big-endian), read as one 256-bit number.
    Numbers at or above the largest multiple of the limit are rejected, so every outcome is equally
    likely.
    """

    __slots__ = ("_count", "_seed")

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._count = 0

    def below(self, limit: int, /) -> int:
        """Return a uniform whole number in 0..limit-1 (limit >= 1)."""
        largest_multiple = _DIGESTS - _DIGESTS % limit
        while True:
            counter = self._count.to_bytes(8, "big")
            self._count += 1

            digest = hashlib.sha256(self._seed + counter).digest()
            number = int.from_bytes(digest, "big")
            if number < largest_multiple:
                return number % limit


class FastChance:
    """A fast source for draws that nobody verifies, such as those of bots and of previews."""

    __slots__ = ("_random",)

    def __init__(self, seed: int | bytes) -> None:
        self._random = random.Random(seed).random

    def below(self, limit: int, /) -> int:
        """Return a whole number in 0..limit-1, nearly uniform: the float has steps of 2**-53."""
        return int(self._random() * limit)


@lru_cache(maxsize=1024)  # the draws and the salts of a commit need the same key
def bound_key(secret: bytes, match: str) -> bytes:
    """Return the 64-byte key that binds a match's secret to its id.

    The key is HMAC-SHA-512 over "match|ID", keyed with the secret. The key is longer than a secret,
    so nobody can pass the key of one match off as the secret of another (decision 0020).
    """
    return hmac.digest(secret, f"match|{match}".encode(), "sha512")


def draw_seed(key: bytes, entropy: Sequence[str], version: int) -> bytes:
    """Return the 32-byte seed of the commit at a version, if draws go by versions.

    The seed is HMAC-SHA-256 over "draw|VERSION|E0|E1|...", keyed with the match's key. E0, E1 and
    so on are the entropy of each seat in hex, "" for a seat without entropy.
    """
    text = "|".join(("draw", str(version), *entropy))
    return hmac.digest(key, text.encode(), "sha256")


def move_seed(key: bytes, entropy: Sequence[str], moves: int) -> bytes:
    """Return the 32-byte seed of a commit after `moves` moves, if draws go by moves.

    The seed is HMAC-SHA-256 over "move|MOVES|E0|E1|...", with key and entropy as in `draw_seed`.
    """
    text = "|".join(("move", str(moves), *entropy))
    return hmac.digest(key, text.encode(), "sha256")


def pick(chance: Chance, counts: Sequence[int]) -> int:
    """Return the kind of one thing drawn from a bag with counts[kind] things of each kind.

    The counts must not all be 0. The drawn number is an index into the things, sorted by kind.
    """
    totals = list(accumulate(counts))
    number = chance.below(totals[-1])
    return bisect_right(totals, number)


def shuffled(chance: Chance, items: Sequence[Item]) -> list[Item]:
    """Return the items in random order (Fisher-Yates from the last place down)."""
    result = list(items)
    for last in range(len(result) - 1, 0, -1):
        other = chance.below(last + 1)
        result[last], result[other] = result[other], result[last]
    return result
