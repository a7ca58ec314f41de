"""Draws are fixed by their seed, fair, and drawn from bags as the bags are filled.

The vectors of the record format show the rest (tests/service/record/verify/test_fairness.py).
"""

import hashlib
from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from domain.chance import Chance, Draws, FastChance, pick, shuffled

SEED = bytes(range(32))


class Fixed:
    """A chance that gives fixed numbers."""

    def __init__(self, *numbers: int) -> None:
        self._numbers = list(numbers)

    def below(self, limit: int) -> int:
        number = self._numbers.pop(0)
        assert 0 <= number < limit
        return number


def _stream(length: int) -> list[int]:
    """Return the numbers of SEED's stream, as docs/reference/record.md says."""
    numbers = []
    for index in range(length):
        digest = hashlib.sha256(SEED + index.to_bytes(8, "big")).digest()
        numbers.append(int.from_bytes(digest, "big"))
    return numbers


# ---- draws from a seed ----


def test_a_draw_is_the_whole_digest_modulo_the_limit() -> None:
    """Draw 0 is SHA-256(seed || 0 as 8 bytes) read as one number, draw 1 the next (section 7)."""
    first, second = _stream(2)
    draws = Draws(SEED)
    assert draws.below(1_000_003) == first % 1_000_003
    assert draws.below(7) == second % 7


@pytest.mark.parametrize("chance", [Draws(SEED), FastChance(7)], ids=["draws", "light"])
def test_draws_are_uniform(chance: Chance) -> None:
    """6,000 throws of a die: chi-squared with 5 degrees of freedom stays below 30 (p < 0.00002)."""
    counts = Counter(chance.below(6) for _ in range(6000))
    chi_squared = sum((counts[face] - 1000) ** 2 / 1000 for face in range(6))
    assert chi_squared < 30


# ---- bags and orders ----


@settings(deadline=None)  # other Pythons run this without tests/conftest.py
@given(st.lists(st.integers(0, 4), min_size=1).filter(any), st.data())
def test_pick_numbers_things_in_the_order_of_their_kinds(
    counts: list[int], data: st.DataObject
) -> None:
    """Number i draws the i-th thing when the bag is laid out kind by kind."""
    laid_out = [kind for kind, count in enumerate(counts) for _ in range(count)]
    number = data.draw(st.integers(0, len(laid_out) - 1))
    assert pick(Fixed(number), counts) == laid_out[number]


def test_shuffle_swaps_from_the_last_place_down() -> None:
    """Fisher-Yates as section 7 says: place 3 with 0, place 2 with 2, place 1 with 0."""
    assert shuffled(Fixed(0, 2, 0), "abcd") == ["b", "d", "c", "a"]
