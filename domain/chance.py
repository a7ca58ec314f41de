"""The only randomness: draws from a seed, rejection-sampled, the same in any language (docs/fairness.md)."""

import hashlib
import hmac
import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")

_SPACE = 1 << 256


class Chance(Protocol):
    """A source of whole numbers; games draw from it through `pick` and `shuffled` alone."""

    def below(self, n: int) -> int:
        """Return a uniform whole number in 0..n-1 (n >= 1)."""
        ...


class Draws:
    """The stream of draws that a 32-byte seed fixes: draw i is SHA-256(seed || i as 8 bytes, big-endian).

    A whole digest is read as one 256-bit number; numbers at or above the largest multiple of n are rejected, so every
    outcome is exactly equally likely.
    """

    __slots__ = ("_count", "_seed")

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._count = 0

    def below(self, n: int) -> int:
        """Return a uniform whole number in 0..n-1 (n >= 1)."""
        limit = _SPACE - _SPACE % n
        while True:
            digest = hashlib.sha256(self._seed + self._count.to_bytes(8, "big")).digest()
            self._count += 1
            number = int.from_bytes(digest, "big")
            if number < limit:
                return number % n


def bound_key(secret: bytes, match: str) -> bytes:
    """Return the 64-byte key that binds a match's secret to its id: HMAC-SHA-512 over "match|ID".

    It is longer than any secret, so nobody can pass the key of one match off as the secret of another (decision 0020).
    """
    return hmac.digest(secret, f"match|{match}".encode(), "sha512")


def draw_seed(key: bytes, entropy: Sequence[str], version: int) -> bytes:
    """Return the 32-byte seed of the commit that makes `version`.

    HMAC-SHA-256 keyed with the match's key over "draw|VERSION|E0|E1|...", where E is each seat's entropy in hex
    ("" where a seat gave none).
    """
    return hmac.digest(key, "|".join(("draw", str(version), *entropy)).encode(), "sha256")


def pick(chance: Chance, counts: Sequence[int]) -> int:
    """Return the kind of one thing drawn from a bag that holds counts[kind] of each kind (not all zero)."""
    number = chance.below(sum(counts))
    for kind, count in enumerate(counts):
        if number < count:
            return kind
        number -= count
    raise AssertionError("unreachable: number is below the sum of counts")


def shuffled(chance: Chance, items: Sequence[T]) -> list[T]:
    """Return the items in random order (Fisher-Yates from the last place down)."""
    result = list(items)
    for last in range(len(result) - 1, 0, -1):
        other = chance.below(last + 1)
        result[last], result[other] = result[other], result[last]
    return result


class Light:
    """A fast source for what no one need verify: bots' thoughts, playouts, what a seat imagines."""

    __slots__ = ("_random",)

    def __init__(self, seed: int | bytes) -> None:
        self._random = random.Random(seed).random

    def below(self, n: int) -> int:
        """Return a number in 0..n-1, uniform but for the 2**-53 grain of a float."""
        return int(self._random() * n)
