"""Ratings by the model of Plackett and Luce."""

import pytest

from tests.workers.arena.made import made_result
from workers.arena.fixtures import Level
from workers.arena.ratings import rate

RANDOM = Level("random")
GREEDY = Level("greedy")


def test_a_level_with_several_seats_gets_their_mean() -> None:
    """Of three beginners the first three ranks get 27.87, 25.72 and 21.41 (Weng and Lin 2011)."""
    ratings = rate([made_result(1, [3, 1, 2])])

    assert ratings[RANDOM].value == pytest.approx(21.4137, abs=1e-4)
    assert ratings[GREEDY].value == pytest.approx((27.8690 + 25.7172) / 2, abs=1e-4)


def test_who_always_wins_is_rated_higher_and_more_surely() -> None:
    """With each match the ratings part and the uncertainty falls from 25/3."""
    wins = [
        made_result(number, [2, 1] if number % 4 in (1, 0) else [1, 2]) for number in range(1, 21)
    ]
    few = rate(wins[:4])
    many = rate(wins)

    assert few[GREEDY].value > few[RANDOM].value
    assert many[GREEDY].value - many[RANDOM].value > few[GREEDY].value - few[RANDOM].value
    assert many[GREEDY].sigma < few[GREEDY].sigma < 25 / 3


def test_a_tie_of_equals_changes_no_rating() -> None:
    """Two levels that share the rank stay where they began, and are known better."""
    ratings = rate([made_result(1, [1, 1])])

    assert ratings[RANDOM].value == pytest.approx(ratings[GREEDY].value)
    assert ratings[RANDOM].sigma < 25 / 3


def test_a_match_without_an_end_is_passed_over() -> None:
    """It has no ranks."""
    assert rate([made_result(1, [])]) == {}
