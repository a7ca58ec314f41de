"""The fitting of prospects: it finds weights that are there, and tells how well they foretell."""

import numpy as np
import pytest

from benchmarks.fitting import Played, fit, play, quality
from domain.firenze.bot.features import NAMES

TURNS = 20
SEATS = 3


def made_up(seed: int, weights: np.ndarray) -> Played:
    """Return a match in which the points to come are what the weights say, in every turn."""
    draws = np.random.default_rng(seed)
    seats = draws.normal(size=(SEATS, len(NAMES)))
    rows = np.broadcast_to(seats, (TURNS, SEATS, len(NAMES)))
    final = seats @ weights
    return Played(features=rows, sure=np.zeros((TURNS, SEATS)), final=final)


def test_it_finds_the_weights_that_are_there() -> None:
    """Where points follow from features by fixed weights, these are found, and foretell all."""
    weights = np.linspace(-3, 3, len(NAMES))
    matches = [made_up(seed, weights) for seed in range(100)]

    found = fit(matches)
    told = quality(matches, found)

    assert found == pytest.approx(weights, abs=0.05)
    assert told.explained > 0.99
    assert told.winners > 0.99
    assert told.error < 0.5


@pytest.mark.parametrize("seats", [2, 4])
def test_a_match_is_noted_turn_by_turn(seats: int) -> None:
    """There are features of every seat for every turn, by name, and the same seed is the same."""
    match = play(seats, seed=3)
    again = play(seats, seed=3)

    turns, seats_noted, numbers = match.features.shape
    assert turns > seats * 5
    assert (seats_noted, numbers) == (seats, len(NAMES))
    assert match.sure.shape == (turns, seats)
    assert match.final.shape == (seats,)
    assert np.array_equal(match.features, again.features)
