"""Ranks at the end of a match."""

from typing import Any

import pytest

from domain.kit import competition_ranks, winners

CASES = [
    pytest.param([], (), id="nobody"),
    pytest.param([5], (1,), id="one-seat"),
    pytest.param([3, 9, 7], (3, 1, 2), id="all-differ"),
    pytest.param([7, 9, 9, 3], (3, 1, 1, 4), id="a-shared-rank-leaves-out-the-next"),
    pytest.param([4, 4, 4], (1, 1, 1), id="all-equal"),
    pytest.param([-2, 0], (2, 1), id="negative-points"),
    pytest.param([(9, 1), (9, 2), (8, 7)], (2, 1, 3), id="a-tie-is-broken-by-what-comes-second"),
]


@pytest.mark.parametrize(("scores", "ranks"), CASES)
def test_the_best_score_has_rank_one(scores: list[Any], ranks: tuple[int, ...]) -> None:
    """A rank is one more than the number of seats with a better score."""
    assert competition_ranks(scores) == ranks


def test_the_winners_are_all_who_share_the_first_rank() -> None:
    """They come in the order of the seats."""
    assert winners((2, 1, 3), ("Ada", "Bob", "Cleo")) == ["Bob"]
    assert winners((1, 3, 1), ("Ada", "Bob", "Cleo")) == ["Ada", "Cleo"]
