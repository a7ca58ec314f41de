"""A match of greedy bots that weigh by different numbers."""

import random
from collections.abc import Sequence
from math import exp
from typing import Any, NamedTuple

from benchmarks.tuning.subjects import SUBJECTS, Numbers, Subject
from domain.chance import Chance, FastChance
from domain.game import Draft, Message, Setup
from domain.seats import HOUSE

SPREAD = 0.4  # of the changes, which are powers of e

Changes = Sequence[float]
"""For every number the power of e by which it is multiplied; 0 leaves it as it is."""


class Played(NamedTuple):
    """A match: by seat, the changes it has played by, and its points in the end."""

    changes: list[list[float]]
    points: tuple[int, ...]


def changed(by_hand: Numbers, changes: Changes) -> Numbers:
    """Return the numbers set by hand, changed."""
    factors = iter(changes)
    return {
        name: tuple([number * exp(next(factors)) for number in numbers])
        for name, numbers in by_hand.items()
    }


def explore(game: str, seats: int, seed: int, centre: Changes) -> Played:
    """Play a match in which each seat's changes are drawn around a centre."""
    chance = random.Random(seed)
    changes = [[each + chance.gauss(0, SPREAD) for each in centre] for _ in range(seats)]
    return Played(changes, points(game, changes, seed))


def points(game: str, changes: Sequence[Changes], seed: int) -> tuple[int, ...]:
    """Return the points of each seat at the end of a match, in which it plays by its changes."""
    subject = SUBJECTS[game]
    rules = subject.game
    weights = [subject.weights_of(changed(subject.by_hand, each)) for each in changes]
    thoughts = FastChance(f"{seed} thoughts".encode())
    draft = Draft(
        rules.initial(Setup(len(changes), rules.read_options({}))),
        rules.evolve,
        FastChance(seed),
    )

    while actors := rules.actors(draft.state):
        seat = actors[0]
        if seat == HOUSE:
            move = rules.legal_moves(draft.state, HOUSE)[0]
        else:
            move = _move(subject, draft.state, seat, weights[seat], thoughts)
        rules.play(draft, move)

    outcome = rules.outcome(draft.state)
    assert outcome is not None
    return outcome.points


def _move(subject: Subject, state: Any, seat: int, weights: Any, chance: Chance) -> Message:
    moves = subject.game.legal_moves(state, seat)
    if len(moves) == 1:
        return moves[0]

    imagined = subject.game.imagine(state, seat, chance)
    move: Message = subject.advise(imagined, seat, chance, weights)
    return move
