"""What a match counts: pairings, wins, points."""

from collections.abc import Sequence

import pytest

from tests.workers.arena.made import made_result
from workers.arena.fixtures import Level
from workers.arena.ratings import pairings_won, points_of, win_of_odd_seat

RANDOM_ALONE_AT_0 = 1
GREEDY_ALONE_AT_0 = 2
RANDOM_ALONE_AT_1 = 3


@pytest.mark.parametrize(
    ("number", "ranks", "won"),
    [
        pytest.param(RANDOM_ALONE_AT_0, [3, 1, 2], 1.0, id="both-ahead-of-the-one"),
        pytest.param(RANDOM_ALONE_AT_0, [2, 1, 3], 0.5, id="one-of-two-ahead"),
        pytest.param(RANDOM_ALONE_AT_0, [1, 1, 3], 0.25, id="a-tie-is-half"),
        pytest.param(GREEDY_ALONE_AT_0, [1, 2, 3], 1.0, id="the-one-ahead-of-both"),
        pytest.param(GREEDY_ALONE_AT_0, [3, 1, 2], 0.0, id="the-one-behind-both"),
        pytest.param(RANDOM_ALONE_AT_1, [1, 3, 2], 1.0, id="another-seat"),
        pytest.param(RANDOM_ALONE_AT_0, [1, 1], 0.5, id="two-seats-tied"),
    ],
)
def test_pairings_are_counted_for_the_stronger_level(
    number: int, ranks: Sequence[int], won: float
) -> None:
    """Every seat of one level against every seat of the other: ahead 1, tied 1/2."""
    assert pairings_won(made_result(number, ranks)) == won


@pytest.mark.parametrize(
    ("ranks", "win"),
    [([1, 2, 3], 1.0), ([2, 1, 3], 0.0), ([1, 1, 3], 1 / 2), ([1, 1, 1], 1 / 3)],
)
def test_a_shared_win_is_divided(ranks: Sequence[int], win: float) -> None:
    """So among equals the seat that is alone wins 1/n, whatever the ties."""
    assert win_of_odd_seat(made_result(RANDOM_ALONE_AT_0, ranks)) == win


def test_points_are_those_of_a_levels_seats() -> None:
    """The mean over its seats, so that one seat and two can be compared."""
    result = made_result(RANDOM_ALONE_AT_0, [3, 1, 2], points=[10, 50, 40])

    assert points_of(result, Level("random")) == 10
    assert points_of(result, Level("greedy")) == 45
