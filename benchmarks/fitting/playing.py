"""A match of bots, noted turn by turn."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.fitting.subjects import SUBJECTS, Subject
from domain.chance import Chance, FastChance
from domain.game import Draft, Message, Setup
from domain.seats import HOUSE

Numbers = NDArray[np.float64]


class Played(NamedTuple):
    """A match: what was noted of each seat where a turn began, and how it ended.

    features: turns x seats x features. shares: turns x seats x weights of a feature. sure: the
    points so far, turns x seats. doubts: what the game takes as doubt, by turn. final: the points
    in the end, by seat.
    """

    features: Numbers
    shares: Numbers
    sure: Numbers
    doubts: Numbers
    final: Numbers


def play(key: str, seats: int, seed: int) -> Played:
    """Play a match of a game by its key and note it; the same seed is the same match."""
    subject = SUBJECTS[key]
    game = subject.game
    hooks = game.search_hooks
    assert hooks is not None

    chance = FastChance(seed)
    state = game.initial(Setup(seats, game.read_options({})))
    draft = Draft(state, game.evolve, chance)
    features, shares, sure, doubts = [], [], [], []

    while actors := game.actors(state):
        if hooks.turn_begins(state):
            features.append(subject.features(state))
            shares.append(subject.shares(state))
            sure.append(subject.sure_points(state))
            doubts.append(hooks.doubt(state))
        game.play(draft, _move(subject, state, actors[0], chance))

    outcome = game.outcome(state)
    assert outcome is not None
    return Played(
        features=np.array(features, dtype=float),
        shares=np.array(shares, dtype=float),
        sure=np.array(sure, dtype=float),
        doubts=np.array(doubts, dtype=float),
        final=np.array(outcome.points, dtype=float),
    )


def _move(subject: Subject, state: Any, seat: int, chance: Chance) -> Message:
    moves = subject.game.legal_moves(state, seat)
    if seat == HOUSE or len(moves) == 1:
        return moves[0]
    return subject.move(state, seat, chance)
