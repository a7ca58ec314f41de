"""The fitting of prospects: it finds weights that are there, and tells how well they foretell."""

import json

import numpy as np
import pytest

from benchmarks.fitting.playing import Numbers, Played, play
from benchmarks.fitting.regression import best_doubt, expected_points, fit, quality
from benchmarks.fitting.subjects import SUBJECTS, Subject
from tests.domain.greedy_play import positions

TURNS = 20
SEATS = 3
FEATURES = 6
COLUMNS = 2
WEIGHTS = np.linspace(-3, 3, FEATURES * COLUMNS).reshape(FEATURES, COLUMNS)
AT_TABLES = [(key, seats) for key, subject in SUBJECTS.items() for seats in subject.game.seats]


def made_up(seed: int, luck: float = 0.0) -> Played:
    """Return a match whose points follow from the weights in every turn, and from luck.

    A common gain of all seats, another one in every match, is not in the features.
    """
    draws = np.random.default_rng(seed)
    features = np.broadcast_to(draws.normal(size=(SEATS, FEATURES)), (TURNS, SEATS, FEATURES))
    column = seed % COLUMNS
    shares = np.zeros((TURNS, SEATS, COLUMNS))
    shares[:, :, column] = 1.0
    by_weights = features[0] @ WEIGHTS[:, column]
    final = by_weights + 10 * draws.normal() + luck * draws.gumbel(size=SEATS)
    return Played(
        features=features,
        shares=shares,
        sure=np.zeros((TURNS, SEATS)),
        doubts=np.full(TURNS, 5.0),
        final=final,
    )


def test_it_finds_the_weights_that_are_there() -> None:
    """Where leads follow from features by fixed weights, these are found, and foretell all."""
    matches = [made_up(seed) for seed in range(200)]

    found = fit(matches)
    told = quality(matches, found)

    assert found == pytest.approx(WEIGHTS, abs=0.1)
    assert told.explained > 0.99
    assert told.winners > 0.95
    assert told.error < 0.5
    assert told.ahead < told.winners


def test_the_doubt_is_found_that_foretells_winners_best() -> None:
    """With luck of Gumbel's kind the true doubt is its scale: the chances follow it exactly."""
    matches = [made_up(seed, luck=4.0) for seed in range(400)]
    assert best_doubt(matches, WEIGHTS, 0, 10) == pytest.approx(4.0, abs=0.8)


def test_turns_are_taken_by_their_doubt() -> None:
    """Those outside the bounds do not count, whatever they say."""
    sure = [made_up(seed) for seed in range(50)]
    unsure = [made_up(seed, luck=9.0)._replace(doubts=np.full(TURNS, 7.0)) for seed in range(50)]

    assert best_doubt(sure + unsure, WEIGHTS, 4, 6) < 2
    assert best_doubt(sure + unsure, WEIGHTS, 6, 8) > 4


@pytest.mark.parametrize("key", SUBJECTS)
def test_a_match_is_noted_turn_by_turn(key: str) -> None:
    """There is every number of every seat for every turn, and the same seed is the same."""
    subject = SUBJECTS[key]
    seats = min(subject.game.seats)
    match = play(key, seats, seed=3)
    again = play(key, seats, seed=3)

    turns = len(match.doubts)
    assert turns > seats * 5
    assert match.features.shape == (turns, seats, len(subject.names))
    assert match.shares.shape == (turns, seats, weights_of(subject).shape[1])
    assert match.shares.sum(axis=2) == pytest.approx(np.ones((turns, seats)))
    assert match.sure.shape == (turns, seats)
    assert match.final.shape == (seats,)
    assert np.array_equal(match.features, again.features)


@pytest.mark.parametrize(("key", "seats"), AT_TABLES)
def test_bots_guess_as_the_fitting_does(key: str, seats: int) -> None:
    """What a match is fitted to, turn by turn, is what the game tells a search there."""
    subject = SUBJECTS[key]
    hooks = subject.game.search_hooks
    assert hooks is not None
    weights = weights_of(subject)

    turns = 0
    for state, _seat in positions(subject.game, seats, seed=4):
        if not hooks.turn_begins(state):
            continue
        turns += 1
        match = Played(
            features=np.array([subject.features(state)], dtype=float),
            shares=np.array([subject.shares(state)]),
            sure=np.array([subject.sure_points(state)]),
            doubts=np.array([hooks.doubt(state)]),
            final=np.zeros(seats),
        )
        assert expected_points(match, weights)[0] == pytest.approx(hooks.expected_points(state))
    assert turns > seats * 5


def weights_of(subject: Subject) -> Numbers:
    """Return the weights that the bots of a game have, features x columns."""
    rows = json.loads(subject.path.read_text(encoding="utf-8"))
    return np.array([rows[name] for name in subject.names])
