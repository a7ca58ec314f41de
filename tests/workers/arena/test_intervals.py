"""Wilson's interval against published values, and the laws that it follows."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.arena.ratings import Z_95, mean_share, wilson

SHARES = st.floats(0, 1)
TRIALS = st.integers(1, 100_000)


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        pytest.param(81, 263, 0.2553, 0.3662, id="81-of-263"),
        pytest.param(15, 148, 0.0624, 0.1605, id="15-of-148"),
        pytest.param(0, 20, 0.0000, 0.1611, id="0-of-20"),
        pytest.param(1, 29, 0.0061, 0.1718, id="1-of-29"),
    ],
)
def test_published_intervals(hits: int, trials: int, low: float, high: float) -> None:
    """R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, Table I, method 3."""
    found_low, found_high = wilson(hits / trials, trials)

    assert round(found_low, 4) == low
    assert round(found_high, 4) == high


@given(st.floats(0.001, 0.999), TRIALS)
def test_the_ends_are_as_unlikely_as_they_should_be(value: float, trials: int) -> None:
    """At a true share at either end, what was seen is z standard errors away (Wilson 1927)."""
    for end in wilson(value, trials):
        standard_error = math.sqrt(end * (1 - end) / trials)
        assert abs(value - end) == pytest.approx(Z_95 * standard_error, rel=1e-6)


@given(SHARES, TRIALS)
def test_the_interval_holds_the_share_and_stays_within_0_and_1(value: float, trials: int) -> None:
    """The share that was seen is always possible."""
    low, high = wilson(value, trials)
    assert 0 <= low <= value <= high <= 1


@given(SHARES, TRIALS)
def test_losses_are_wins_of_the_other(value: float, trials: int) -> None:
    """Who counts the losses finds the same interval, turned round."""
    low, high = wilson(value, trials)
    other_low, other_high = wilson(1 - value, trials)

    assert other_low == pytest.approx(1 - high, abs=1e-12)
    assert other_high == pytest.approx(1 - low, abs=1e-12)


@given(SHARES, TRIALS)
def test_four_times_as_many_matches_tell_more(value: float, trials: int) -> None:
    """The interval becomes narrower with every match."""
    low, high = wilson(value, trials)
    later_low, later_high = wilson(value, 4 * trials)
    assert later_high - later_low < high - low


@pytest.mark.parametrize("true_share", [0.1, 0.25, 0.5, 0.8])
def test_it_holds_the_true_share_in_95_of_100_cases(true_share: float) -> None:
    """Over all that 400 matches can end with, by the binomial distribution, within a hundredth."""
    matches = 400
    covered = 0.0
    for hits in range(matches + 1):
        low, high = wilson(hits / matches, matches)
        if low <= true_share <= high:
            ways = math.comb(matches, hits)
            covered += ways * true_share**hits * (1 - true_share) ** (matches - hits)

    assert covered == pytest.approx(0.95, abs=0.01)


def test_without_matches_everything_is_possible() -> None:
    """No match, no knowledge."""
    assert wilson(0.5, 0) == (0.0, 1.0)
    assert mean_share([]).matches == 0
    assert (mean_share([]).low, mean_share([]).high) == (0.0, 1.0)


@given(st.lists(SHARES, min_size=1, max_size=200))
def test_matches_that_count_parts_vary_less_than_coins(shares: list[float]) -> None:
    """So an interval made for coins is on the safe side: it is rather too wide."""
    share = mean_share(shares)

    assert share.value == pytest.approx(statistics.fmean(shares))
    assert statistics.pvariance(shares) <= share.value * (1 - share.value) + 1e-9
    assert (share.low, share.high) == wilson(share.value, len(shares))
