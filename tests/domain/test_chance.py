"""Draws are fixed by their seed, fair, and drawn from bags as the bags are filled."""

import hashlib
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from domain.chance import Chance, Draws, FastChance, bound_key, draw_seed, pick, shuffled

SEED = bytes(range(32))
SECRET = b"a" * 32


class Fixed:
    """A chance that gives the numbers it was told to."""

    def __init__(self, *numbers: int) -> None:
        self._numbers = list(numbers)

    def below(self, limit: int) -> int:
        number = self._numbers.pop(0)
        assert 0 <= number < limit
        return number


def _stream(length: int) -> list[int]:
    """Return the numbers of SEED's stream, as docs/fairness.md says."""
    numbers = []
    for index in range(length):
        digest = hashlib.sha256(SEED + index.to_bytes(8, "big")).digest()
        numbers.append(int.from_bytes(digest, "big"))
    return numbers


# ---- draws from a seed ----


def test_a_draw_is_the_whole_digest_modulo_the_limit() -> None:
    """Draw 0 is SHA-256(seed || 0 as 8 bytes) read as one number, draw 1 the next (fairness.md)."""
    first, second = _stream(2)
    draws = Draws(SEED)
    assert draws.below(1_000_003) == first % 1_000_003
    assert draws.below(7) == second % 7


LIMITS = [
    pytest.param((1 << 255) + 1, id="just-above-half-of-all-numbers"),
    pytest.param(next(number for number in _stream(50) if number >> 255), id="a-number-drawn"),
]


@pytest.mark.parametrize("limit", LIMITS)
def test_numbers_from_the_last_whole_multiple_on_are_rejected(limit: int) -> None:
    """With a limit above half the space, a draw from it on is thrown away, not folded back."""
    stream = _stream(50)
    kept = [number for number in stream if number < limit]
    assert stream[:5] != kept[:5], "the seed must show a rejection"

    draws = Draws(SEED)
    drawn = [draws.below(limit) for _ in range(5)]

    assert drawn == kept[:5]


@given(st.binary(min_size=32, max_size=32), st.integers(1, 10**9))
def test_draws_are_in_range_and_repeatable(seed: bytes, limit: int) -> None:
    """The same seed gives the same numbers, each in 0..limit-1."""
    first = Draws(seed)
    second = Draws(seed)
    numbers = [first.below(limit) for _ in range(5)]

    assert numbers == [second.below(limit) for _ in range(5)]
    assert all(0 <= number < limit for number in numbers)


@pytest.mark.parametrize("chance", [Draws(SEED), FastChance(7)], ids=["draws", "light"])
def test_draws_are_uniform(chance: Chance) -> None:
    """6,000 throws of a die: chi-squared with 5 degrees of freedom stays below 30 (p < 0.00002)."""
    counts = Counter(chance.below(6) for _ in range(6000))
    chi_squared = sum((counts[face] - 1000) ** 2 / 1000 for face in range(6))
    assert chi_squared < 30


# ---- bags and orders ----


@given(st.lists(st.integers(0, 4), min_size=1).filter(any), st.data())
def test_pick_numbers_things_in_the_order_of_their_kinds(
    counts: list[int], data: st.DataObject
) -> None:
    """Number i draws the i-th thing when the bag is laid out kind by kind."""
    laid_out = [kind for kind, count in enumerate(counts) for _ in range(count)]
    number = data.draw(st.integers(0, len(laid_out) - 1))
    assert pick(Fixed(number), counts) == laid_out[number]


def test_shuffle_swaps_from_the_last_place_down() -> None:
    """Fisher-Yates as docs/fairness.md says: place 3 with 0, place 2 with 2, place 1 with 0."""
    assert shuffled(Fixed(0, 2, 0), "abcd") == ["b", "d", "c", "a"]


# ---- keys and seeds ----


def test_a_seed_depends_on_key_version_and_entropy() -> None:
    """Every part of a seed counts, and entropy cannot be shifted from one seat to another."""
    nothing_given = ("", "")
    other_secret = b"b" * 32

    seeds = {
        "plain": draw_seed(SECRET, nothing_given, 1),
        "other key": draw_seed(other_secret, nothing_given, 1),
        "other version": draw_seed(SECRET, nothing_given, 2),
        "first seat": draw_seed(SECRET, ("ab", ""), 1),
        "second seat": draw_seed(SECRET, ("", "ab"), 1),
    }

    assert len(set(seeds.values())) == len(seeds)


def test_a_key_is_bound_to_its_match_and_longer_than_any_secret() -> None:
    """The same secret makes another key for another match; no key can pass as a secret."""
    key = bound_key(SECRET, "one")
    assert key != bound_key(SECRET, "another")
    assert len(key) == 64
