"""A match of greedy bots that weigh positions by different numbers."""

import random
from collections.abc import Sequence
from math import exp
from typing import NamedTuple

from domain.calimala import GAME
from domain.calimala.bot.greedy import advise
from domain.calimala.bot.weights import STEPS_BY_HAND, Steps, Weights
from domain.calimala.state import State
from domain.chance import Chance, Light
from domain.game import Draft, Message, Setup
from domain.seats import HOUSE

SPREAD = 0.4  # of the changes, which are powers of e

# Every number by its name and its place there.
NUMBERS = [(name, place) for name, steps in STEPS_BY_HAND.items() for place in range(len(steps))]

Changes = Sequence[float]
"""For every number the power of e by which it is multiplied; 0 leaves it as it is."""


class Played(NamedTuple):
    """A match: by seat, the changes it has played by, and its points in the end."""

    changes: list[list[float]]
    points: tuple[int, ...]


def changed(changes: Changes) -> Steps:
    """Return the numbers set by hand, changed."""
    factors = iter(changes)
    return {
        name: tuple([number * exp(next(factors)) for number in numbers])
        for name, numbers in STEPS_BY_HAND.items()
    }


def explore(seats: int, seed: int, centre: Changes) -> Played:
    """Play a match in which each seat's changes are drawn around a centre."""
    chance = random.Random(seed)
    changes = [[each + chance.gauss(0, SPREAD) for each in centre] for _ in range(seats)]
    return Played(changes, points(changes, seed))


def points(changes: Sequence[Changes], seed: int) -> tuple[int, ...]:
    """Return the points of each seat at the end of a match, in which it plays by its changes."""
    weights = [Weights.of(changed(each)) for each in changes]
    thoughts = Light(f"{seed} thoughts".encode())
    draft = Draft(
        GAME.initial(Setup(len(changes), GAME.read_options({}))),
        GAME.evolve,
        Light(seed),
    )

    while actors := GAME.actors(draft.state):
        seat = actors[0]
        if seat == HOUSE:
            move = GAME.legal_moves(draft.state, HOUSE)[0]
        else:
            move = _move(draft.state, seat, weights[seat], thoughts)
        GAME.play(draft, move)

    outcome = GAME.outcome(draft.state)
    assert outcome is not None
    return outcome.points


def _move(state: State, seat: int, weights: Weights, chance: Chance) -> Message:
    moves = GAME.legal_moves(state, seat)
    if len(moves) == 1:
        return moves[0]
    return advise(GAME.imagine(state, seat, chance), seat, chance, weights)
