"""The tuning of Calimala's weights: it finds what brings points, and moves the numbers that way."""

import numpy as np
import pytest

from benchmarks.tuning.playing import NUMBERS, Played, changed, explore, points
from benchmarks.tuning.stepping import RATE, slopes, step
from domain.calimala.bot.weights import STEPS_BY_HAND

AS_THEY_ARE = [0.0] * len(NUMBERS)
# Changes by which nothing but to have cards in hand seems worth anything.
HOARDING = [3.0 if name == "card" else -3.0 for name, _place in NUMBERS]


def made_up(seed: int, worth: np.ndarray, luck: float) -> Played:
    """Return a match in which a seat's points follow from its changes, and from luck."""
    draws = np.random.default_rng(seed)
    changes = draws.normal(size=(3, len(worth)))
    points_in_the_end = changes @ worth + luck * draws.normal(size=3)
    return Played(changes.tolist(), tuple(points_in_the_end))


def test_no_change_leaves_the_numbers_as_they_are() -> None:
    """The numbers set by hand are where the tuning begins."""
    assert changed(AS_THEY_ARE) == STEPS_BY_HAND


def test_a_change_moves_its_own_number() -> None:
    """It is multiplied by e to the power of the change; all others stay."""
    changes = list(AS_THEY_ARE)
    changes[NUMBERS.index(("ships", 1))] = 1.0

    steps = dict(changed(changes))
    ships = steps.pop("ships")

    by_hand = STEPS_BY_HAND["ships"]
    assert ships == pytest.approx((by_hand[0], by_hand[1] * np.e, by_hand[2]))
    assert steps == {name: STEPS_BY_HAND[name] for name in steps}


def test_it_finds_what_each_number_brings() -> None:
    """Where points follow from the changes alone, the slopes are those, and sure."""
    worth = np.linspace(-2, 2, 5)
    matches = [made_up(seed, worth, luck=0.0) for seed in range(40)]

    found, errors = slopes(matches)

    assert found == pytest.approx(worth)
    assert errors == pytest.approx(np.zeros(5), abs=1e-9)


def test_the_errors_tell_how_far_off_the_slopes_are() -> None:
    """With luck in the points most slopes lie within two errors of what the numbers bring."""
    worth = np.linspace(-2, 2, 25)
    matches = [made_up(seed, worth, luck=3.0) for seed in range(200)]

    found, errors = slopes(matches)

    within = np.abs(found - worth) < 2 * errors
    assert errors.min() > 0.05
    assert within.mean() > 0.8


def test_sure_slopes_are_followed_and_unsure_ones_are_not() -> None:
    """A step is the rate times the slope, and less the larger its error is."""
    found = np.array([2.0, 2.0, -2.0])
    moved = step(found, errors=np.array([0.01, 2.0, 0.01]))

    assert moved[0] == pytest.approx(RATE * 2.0, rel=0.01)
    assert moved[2] == pytest.approx(-moved[0])
    assert 0 < moved[1] < 0.5 * moved[0]


def test_luck_alone_moves_nothing() -> None:
    """Where slopes are no larger than their errors, nothing is known."""
    moved = step(np.array([0.1, -0.1]), errors=np.array([0.2, 0.2]))
    assert not moved.any()


@pytest.mark.parametrize("seats", [3, 5])
def test_the_same_seed_is_the_same_match(seats: int) -> None:
    """So the numbers that a run has found are found again."""
    match = explore(seats, 3, AS_THEY_ARE)

    assert match == explore(seats, 3, AS_THEY_ARE)
    assert len(match.changes) == len(match.points) == seats
    assert match.changes[0] != match.changes[1]


def test_a_seat_plays_by_its_own_numbers() -> None:
    """In three matches, one who only hoards cards falls far behind, wherever they sit."""
    for place in range(3):
        by_seat = [HOARDING if seat == place else AS_THEY_ARE for seat in range(3)]
        of_match = points(by_seat, seed=place)
        assert of_match[place] == min(of_match), of_match
