"""The tuning of the bots' weights: it finds what brings points, and moves the numbers that way."""

import numpy as np
import pytest

from benchmarks.tuning.playing import Played, changed, explore, points
from benchmarks.tuning.stepping import slopes, step
from benchmarks.tuning.subjects import SUBJECTS

RATE = 0.4
# By game, the number that is worth all in the end to a player who hoards.
HOARDED = {"calimala": "card", "firenze": "brick"}

in_every_game = pytest.mark.parametrize("game", SUBJECTS)


def unchanged(game: str) -> list[float]:
    """Return changes that leave a game's numbers as they are."""
    return [0.0] * len(SUBJECTS[game].places)


def hoarding(game: str) -> list[float]:
    """Return changes by which nothing but what is hoarded seems worth anything."""
    return [3.0 if name == HOARDED[game] else -3.0 for name, _place in SUBJECTS[game].places]


def made_up(seed: int, worth: np.ndarray, luck: float) -> Played:
    """Return a match in which a seat's points follow from its changes, and from luck."""
    draws = np.random.default_rng(seed)
    changes = draws.normal(size=(3, len(worth)))
    points_in_the_end = changes @ worth + luck * draws.normal(size=3)
    return Played(changes.tolist(), tuple(points_in_the_end))


@in_every_game
def test_no_change_leaves_the_numbers_as_they_are(game: str) -> None:
    """The numbers set by hand are where the tuning begins."""
    by_hand = SUBJECTS[game].by_hand
    assert changed(by_hand, unchanged(game)) == by_hand


def test_a_change_moves_its_own_number() -> None:
    """It is multiplied by e to the power of the change; all others stay."""
    subject = SUBJECTS["calimala"]
    changes = unchanged("calimala")
    changes[subject.places.index(("ships", 1))] = 1.0

    steps = dict(changed(subject.by_hand, changes))
    ships = steps.pop("ships")

    by_hand = subject.by_hand["ships"]
    assert ships == pytest.approx((by_hand[0], by_hand[1] * np.e, by_hand[2]))
    assert steps == {name: subject.by_hand[name] for name in steps}


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
    moved = step(found, errors=np.array([0.01, 2.0, 0.01]), rate=RATE)

    assert moved[0] == pytest.approx(RATE * 2.0, rel=0.01)
    assert moved[2] == pytest.approx(-moved[0])
    assert 0 < moved[1] < 0.5 * moved[0]


def test_luck_alone_moves_nothing() -> None:
    """Where slopes are no larger than their errors, nothing is known."""
    moved = step(np.array([0.1, -0.1]), errors=np.array([0.2, 0.2]), rate=RATE)
    assert not moved.any()


@pytest.mark.parametrize(
    ("game", "seats"), [("calimala", 3), ("calimala", 5), ("firenze", 2), ("firenze", 4)]
)
def test_the_same_seed_is_the_same_match(game: str, seats: int) -> None:
    """So the numbers that a run has found are found again."""
    match = explore(game, seats, 3, unchanged(game))

    assert match == explore(game, seats, 3, unchanged(game))
    assert len(match.changes) == len(match.points) == seats
    assert match.changes[0] != match.changes[1]


@in_every_game
def test_a_seat_plays_by_its_own_numbers(game: str) -> None:
    """In three matches, one who only hoards falls far behind, wherever they sit."""
    for place in range(3):
        table = [hoarding(game) if seat == place else unchanged(game) for seat in range(3)]
        of_match = points(game, table, seed=place)
        assert of_match[place] == min(of_match), of_match
