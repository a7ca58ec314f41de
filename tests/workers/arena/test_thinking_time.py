"""How long decisions took, kept as counts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.arena.results import ThinkingTime, together

SECONDS = st.floats(1e-6, 100)


def measured(seconds: list[float]) -> ThinkingTime:
    """Return what is kept of decisions that took so long, with three iterations each."""
    time = ThinkingTime()
    for one in seconds:
        time.add(one, processor=one / 2, iterations=3)
    return time


@given(st.lists(SECONDS, min_size=1, max_size=50), st.sampled_from([0.5, 0.99]))
def test_a_quantile_is_nearly_exact(seconds: list[float], share: float) -> None:
    """It is off by 2.5 % at most, and never longer than the longest."""
    exact = sorted(seconds)[math.ceil(share * len(seconds)) - 1]
    found = measured(seconds).quantile(share)

    assert found == pytest.approx(exact, rel=0.026)
    assert found <= max(seconds)


@given(st.lists(SECONDS), st.lists(SECONDS))
def test_two_matches_together_are_all_their_decisions(
    first: list[float], second: list[float]
) -> None:
    """Nothing is lost by counting them apart."""
    whole = together([measured(first), measured(second)])
    at_once = measured(first + second)

    assert whole.counts == at_once.counts
    assert whole.decisions == at_once.decisions == len(first + second)
    assert whole.iterations == at_once.iterations == 3 * whole.decisions
    assert whole.longest == at_once.longest
    assert whole.processor == pytest.approx(at_once.processor)


def test_without_decisions_there_is_no_time() -> None:
    """A level that never had a choice has needed nothing."""
    assert ThinkingTime().quantile(0.5) == 0
