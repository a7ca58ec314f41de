"""What many results say: pairings, wins and points, their intervals, and ratings of the levels."""

import math
import statistics
from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from tests.workers.arena.made import made_result
from workers.arena.fixtures import Level
from workers.arena.ratings import (
    Z_95,
    mean_share,
    pairings_won,
    points_of,
    rate,
    wilson,
    win_of_odd_seat,
)

RANDOM = Level("random")
GREEDY = Level("greedy")
RANDOM_ALONE_AT_0 = 1
GREEDY_ALONE_AT_0 = 2
RANDOM_ALONE_AT_1 = 3


@pytest.mark.parametrize(
    ("number", "ranks", "pairings", "win"),
    [
        pytest.param(RANDOM_ALONE_AT_0, [3, 1, 2], 1.0, 0, id="both-ahead-of-the-one"),
        pytest.param(RANDOM_ALONE_AT_0, [2, 1, 3], 0.5, 0, id="one-of-two-ahead"),
        pytest.param(RANDOM_ALONE_AT_0, [1, 1, 3], 0.25, 1 / 2, id="a-tie-is-half"),
        pytest.param(RANDOM_ALONE_AT_0, [1, 1, 1], 0.5, 1 / 3, id="all-tied"),
        pytest.param(GREEDY_ALONE_AT_0, [1, 2, 3], 1.0, 1, id="the-one-ahead-of-both"),
        pytest.param(GREEDY_ALONE_AT_0, [3, 1, 2], 0.0, 0, id="the-one-behind-both"),
        pytest.param(RANDOM_ALONE_AT_1, [1, 3, 2], 1.0, 0, id="another-seat"),
    ],
)
def test_pairings_count_for_the_stronger_level_and_wins_for_the_one_seat(
    number: int, ranks: Sequence[int], pairings: float, win: float
) -> None:
    """Every seat against every seat of the other level: ahead 1, tied 1/2. A win is divided."""
    result = made_result(number, ranks)

    assert pairings_won(result) == pairings
    assert win_of_odd_seat(result) == win


def test_points_are_the_mean_over_the_seats_of_a_level() -> None:
    result = made_result(RANDOM_ALONE_AT_0, [3, 1, 2], points=[10, 50, 40])

    assert points_of(result, RANDOM) == 10
    assert points_of(result, GREEDY) == 45


# ---- intervals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        pytest.param(81, 263, 0.2553, 0.3662, id="81-of-263"),
        pytest.param(0, 20, 0.0000, 0.1611, id="0-of-20"),
        pytest.param(0, 0, 0.0000, 1.0000, id="without-matches"),
    ],
)
def test_published_intervals(hits: int, trials: int, low: float, high: float) -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, Table I, method 3."""
    found_low, found_high = wilson(hits / max(1, trials), trials)

    assert round(found_low, 4) == low
    assert round(found_high, 4) == high


@given(st.floats(0, 1), st.integers(1, 100_000))
def test_the_ends_are_as_unlikely_as_they_should_be(value: float, trials: int) -> None:
    """At a true share at either end, what was seen is z standard errors away (Wilson 1927)."""
    low, high = wilson(value, trials)

    assert 0 <= low <= value <= high <= 1
    if 0.001 < value < 0.999:
        for end in (low, high):
            standard_error = math.sqrt(end * (1 - end) / trials)
            assert abs(value - end) == pytest.approx(Z_95 * standard_error, rel=1e-6)


@given(st.lists(st.floats(0, 1), max_size=200))
def test_the_mean_of_what_matches_count_has_the_interval_of_as_many_coins(
    shares: list[float],
) -> None:
    """Values from 0 to 1 vary no more than coins with the same mean; no match is no knowledge."""
    share = mean_share(shares)

    assert share.matches == len(shares)
    if shares:
        assert share.value == pytest.approx(statistics.fmean(shares))
    assert (share.low, share.high) == wilson(share.value, len(shares))


# ---- ratings -------------------------------------------------------------------------------------


def test_a_level_with_several_seats_gets_their_mean() -> None:
    """Of three beginners the first three ranks get 27.87, 25.72 and 21.41 (Weng and Lin 2011)."""
    ratings = rate([made_result(1, [3, 1, 2])])

    assert ratings[RANDOM].value == pytest.approx(21.4137, abs=1e-4)
    assert ratings[GREEDY].value == pytest.approx((27.8690 + 25.7172) / 2, abs=1e-4)


def test_each_match_makes_ratings_surer() -> None:
    """The winner's rises above the loser's; a tie of equals moves none."""
    wins = [made_result(number, [2, 1]) for number in range(1, 20, 4)]
    few = rate(wins[:1])
    many = rate(wins)
    lead_after_few = few[GREEDY].value - few[RANDOM].value
    lead_after_many = many[GREEDY].value - many[RANDOM].value

    assert lead_after_many > lead_after_few > 0
    assert many[GREEDY].sigma < few[GREEDY].sigma < 25 / 3

    tied = rate([made_result(1, [1, 1])])
    assert tied[RANDOM].value == pytest.approx(tied[GREEDY].value)
    assert rate([made_result(1, [])]) == {}, "a match without an end has no ranks"
