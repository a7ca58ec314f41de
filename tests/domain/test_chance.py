"""Draws are fixed by their seed, fair, and drawn from bags as the bags are filled."""

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.chance import Draws, Light, draw_seed, pick, shuffled

SEED = bytes(range(32))


class Fixed:
    """A chance that gives the numbers it was told to."""

    def __init__(self, *numbers: int) -> None:
        self._numbers = list(numbers)

    def below(self, n: int) -> int:
        number = self._numbers.pop(0)
        assert 0 <= number < n
        return number


def test_first_draw_is_the_whole_digest_modulo_n() -> None:
    """Draw 0 is SHA-256(seed || 0 as 8 bytes) read as one number: the algorithm of docs/fairness.md."""
    number = int.from_bytes(hashlib.sha256(SEED + bytes(8)).digest(), "big")
    assert Draws(SEED).below(1_000_003) == number % 1_000_003


def test_numbers_beyond_the_last_whole_multiple_are_rejected() -> None:
    """With n just above half the space a draw that falls beyond n is thrown away, not folded back."""
    n = (1 << 255) + 1
    stream = [
        int.from_bytes(hashlib.sha256(SEED + i.to_bytes(8, "big")).digest(), "big")
        for i in range(50)
    ]
    kept = [number for number in stream if number < n]
    assert len(kept) < len(stream), "the seed must show a rejection"
    draws = Draws(SEED)
    assert [draws.below(n) for _ in kept[:5]] == kept[:5]


@given(st.binary(min_size=32, max_size=32), st.integers(1, 10**9))
def test_draws_are_in_range_and_repeatable(seed: bytes, n: int) -> None:
    """The same seed gives the same numbers, each in 0..n-1."""
    first, second = Draws(seed), Draws(seed)
    numbers = [first.below(n) for _ in range(5)]
    assert numbers == [second.below(n) for _ in range(5)]
    assert all(0 <= number < n for number in numbers)


@pytest.mark.parametrize("chance", [Draws(SEED), Light(7)], ids=["draws", "light"])
def test_draws_are_uniform(chance: Draws | Light) -> None:
    """6,000 throws of a die: chi-squared with 5 degrees of freedom stays below 30 (p < 0.00002)."""
    counts = Counter(chance.below(6) for _ in range(6000))
    assert sum((counts[face] - 1000) ** 2 / 1000 for face in range(6)) < 30


@pytest.mark.parametrize(("number", "kind"), [(0, 0), (1, 0), (2, 2), (4, 2), (5, 3)])
def test_pick_weighs_each_kind_by_its_count(number: int, kind: int) -> None:
    """From a bag of 2, 0, 3, 1 things the numbers 0-1, 2-4 and 5 draw kinds 0, 2 and 3; an empty kind never comes."""
    assert pick(Fixed(number), [2, 0, 3, 1]) == kind


def test_shuffle_swaps_from_the_last_place_down() -> None:
    """Fisher-Yates as docs/fairness.md says: place 3 with 0, place 2 with 2, place 1 with 0."""
    assert shuffled(Fixed(0, 2, 0), "abcd") == ["b", "d", "c", "a"]


@given(st.lists(st.integers()), st.binary(min_size=32, max_size=32))
def test_shuffle_keeps_every_item(items: list[int], seed: bytes) -> None:
    """A shuffle loses and invents nothing."""
    assert sorted(shuffled(Draws(seed), items)) == sorted(items)


def test_seed_depends_on_secret_version_and_entropy() -> None:
    """Every part of a draw's seed counts, and entropies cannot be shifted from one seat to another."""
    seeds = {
        draw_seed(b"a" * 32, ["", ""], 1),
        draw_seed(b"b" * 32, ["", ""], 1),
        draw_seed(b"a" * 32, ["", ""], 2),
        draw_seed(b"a" * 32, ["ab", ""], 1),
        draw_seed(b"a" * 32, ["", "ab"], 1),
    }
    assert len(seeds) == 5
