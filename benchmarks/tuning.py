"""Find the numbers by which the bots of a game weigh, by playing: GAME=calimala or GAME=firenze.

It begins with the numbers that were set by hand. In every round MATCHES matches are played, in
which each seat plays greedily by different numbers: all of them a little larger or smaller by
chance. Where seats differ, some have more points in the end: by least squares this says which
number is worth how much, and all are moved that way (evolution strategies: Rechenberg 1973; the
matches of one round fit one straight line, Box and Wilson 1951). The last numbers are written to
`weights.json` beside the bots of the game, and play some matches against those set by hand.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import exp
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import domain.calimala.bot as calimala_bot
import domain.firenze.bot as firenze_bot
from domain.calimala.bot import weights as calimala_weights
from domain.calimala.bot.greedy import advise as advise_in_calimala
from domain.chance import FastChance
from domain.firenze.bot import weights as firenze_weights
from domain.firenze.bot.greedy import advise as advise_in_firenze
from domain.game import Draft, Setup
from domain.games import GAMES
from domain.seats import HOUSE

GAME = "calimala"
ROUNDS = 0  # 0: as many as were played to find the numbers of the release
MATCHES = 2400  # a round
COMPARED = 600  # matches against the numbers set by hand, for each number of seats
SPREAD = 0.4  # of the changes, which are powers of e
DIGITS = 3
FIRST_COMPARED = 1_000_000  # seed

Array = NDArray[np.float64]
Numbers = Mapping[str, Sequence[float]]
"""The numbers by name; those that stand alone are sequences of one."""

Changes = Sequence[float]
"""For every number the power of e by which it is multiplied; 0 leaves it as it is."""


@dataclass(frozen=True)
class Subject:
    """What is tuned of a game.

    by_hand: where the tuning begins.   weights_of: what the bot takes, made of numbers.
    advise: the greedy move, by state, seat, chance and weights.
    rate: how far a number is moved, as a power of e, for each point that e times as much brings.
    rounds: as many as were played to find the numbers.   path: of the numbers found.
    """

    by_hand: Numbers
    weights_of: Callable[[Numbers], Any]
    advise: Callable[..., Any]
    rate: float
    rounds: int
    path: Path

    def changed(self, changes: Changes) -> Numbers:
        """Return the numbers set by hand, changed."""
        factors = map(exp, changes)
        return {
            name: tuple([number * next(factors) for number in row])
            for name, row in self.by_hand.items()
        }


SUBJECTS = {
    "calimala": Subject(
        by_hand=calimala_weights.STEPS_BY_HAND,
        weights_of=calimala_weights.Weights.of,
        advise=advise_in_calimala,
        rate=0.4,
        rounds=10,
        path=Path(calimala_bot.__path__[0]) / "weights.json",
    ),
    "firenze": Subject(
        by_hand=firenze_weights.NUMBERS_BY_HAND,
        weights_of=firenze_weights.Weights.of,
        advise=advise_in_firenze,
        rate=0.04,  # points are easier to come by here, and the numbers matter more
        rounds=20,
        path=Path(firenze_bot.__path__[0]) / "weights.json",
    ),
}


class Played(NamedTuple):
    """A match: by seat, the changes it has played by, and its points in the end."""

    changes: Sequence[Changes]
    points: tuple[int, ...]


def play(key: str, changes: Sequence[Changes], seed: int) -> Played:
    """Play a match in which each seat plays greedily by its changes."""
    subject = SUBJECTS[key]
    game = GAMES[key]
    weights = [subject.weights_of(subject.changed(each)) for each in changes]
    thoughts = FastChance(f"{seed} thoughts".encode())
    setup = Setup(len(changes), game.read_options({}))
    draft = Draft(game.initial(setup), game.evolve, FastChance(seed))

    while actors := game.actors(draft.state):
        seat = actors[0]
        moves = game.legal_moves(draft.state, seat)
        move = moves[0]
        if seat != HOUSE and len(moves) > 1:
            imagined = game.imagine(draft.state, seat, thoughts)
            move = subject.advise(imagined, seat, thoughts, weights[seat])
        game.play(draft, move)

    outcome = game.outcome(draft.state)
    assert outcome is not None
    return Played(changes, outcome.points)


def explore(key: str, centre: Changes, seed: int) -> Played:
    """Play a match in which each seat's changes are drawn around a centre."""
    chance = random.Random(seed)
    choice = GAMES[key].seats
    seats = choice[seed % len(choice)]
    drawn = [[each + chance.gauss(0, SPREAD) for each in centre] for _ in range(seats)]
    return play(key, drawn, seed)


def ahead(values: Array, seats: int = 0) -> Array:
    """Return by how much each seat is ahead of the mean of the others; seats: which axis is."""
    of_others = (values.sum(axis=seats, keepdims=True) - values) / (values.shape[seats] - 1)
    leads: Array = values - of_others
    return leads


def slopes(matches: Sequence[Played]) -> tuple[Array, Array]:
    """Return how many points more a number brings for e times as much, and the standard errors.

    By least squares, over what each seat has ahead of the mean of the others, in its changes and in
    its points. The last seat of a match is left out, since what it has ahead follows from the
    others'. The errors hold for many more seats than numbers.
    """
    rows = np.concatenate([ahead(np.array(match.changes))[:-1] for match in matches])
    points = [np.array(match.points, dtype=float) for match in matches]
    leads = np.concatenate([ahead(each)[:-1] for each in points])

    inverse = np.linalg.inv(rows.T @ rows)
    found: Array = inverse @ rows.T @ leads
    left_open = leads - rows @ found
    errors: Array = np.sqrt(np.var(left_open) * np.diag(inverse))
    return found, errors


def step(found: Array, errors: Array, rate: float) -> Array:
    """Return by how much to move the numbers: the more, the surer their slopes are.

    Each slope is held as small as its error suggests, if all slopes are drawn around 0
    (empirical Bayes: Morris 1983).
    rate: how far a number is moved for a point that it brings.
    """
    of_slopes = max(0.0, float(np.mean(found**2) - np.mean(errors**2)))
    if not of_slopes:
        return np.zeros_like(found)
    moved: Array = rate * found * of_slopes / (of_slopes + errors**2)
    return moved


def share_of_wins(processes: Executor, centre: Changes, seats: int) -> float:
    """Return how often one seat with these numbers wins against others with those set by hand."""
    seeds = range(FIRST_COMPARED, FIRST_COMPARED + COMPARED)
    by_hand = [0.0] * len(centre)
    tables = [
        [centre if seat == seed % seats else by_hand for seat in range(seats)] for seed in seeds
    ]
    won = 0.0
    ended = processes.map(partial(play, GAME), tables, seeds, chunksize=10)
    for seed, played in zip(seeds, ended, strict=True):
        best = max(played.points)
        won += (played.points[seed % seats] == best) / played.points.count(best)
    return won / COMPARED


def main() -> None:
    """Play, step by step, show how it went, and write the numbers."""
    subject = SUBJECTS[GAME]
    centre: list[float] = [0.0 for row in subject.by_hand.values() for _ in row]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        for number in range(ROUNDS or subject.rounds):
            seeds = range(number * MATCHES, (number + 1) * MATCHES)
            played = list(processes.map(partial(explore, GAME, centre), seeds, chunksize=10))
            found, errors = slopes(played)
            moved = np.round(np.array(centre) + step(found, errors, subject.rate), DIGITS)
            centre = moved.tolist()
            print(f"round {number + 1}: surest slope {np.abs(found / errors).max():.1f} errors")

        for seats in GAMES[GAME].seats:
            share = share_of_wins(processes, centre, seats)
            print(f"{seats} seats: {share:.3f} of {COMPARED} matches, fair is {1 / seats:.3f}")

    rows = subject.changed(centre)
    rounded = {name: [round(number, DIGITS) for number in row] for name, row in rows.items()}
    subject.path.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")
