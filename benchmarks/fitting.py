"""Fit the weights of a game's expected points, and show how well they foretell.

GAME=calimala or GAME=firenze. Bots play matches of every number of seats. Now and then a move is
another one than theirs, so that there are positions that they would not reach. Where a turn begins
each seat's features are noted, and its points so far. The weights are those of the least squares,
held small (ridge regression): they foretell how many points each seat gains on the others from
there to the end. They are rounded, and written beside the bots of the game. Every fifth match is
not fitted on, but foretold.
"""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import domain.calimala.bot as calimala_bot
import domain.firenze.bot as firenze_bot
from benchmarks.tuning import Array, ahead
from domain import calimala, firenze
from domain.calimala.agenda import Turn
from domain.calimala.bot import search_hooks as calimala_features
from domain.calimala.bot.greedy import appraised, best as best_in_calimala
from domain.calimala.bot.valuation import time_left
from domain.calimala.bot.weights import TUNED as TUNED_FOR_CALIMALA
from domain.calimala.moves import legal_moves
from domain.chance import Chance, FastChance
from domain.firenze.bot import search_hooks as firenze_features
from domain.firenze.bot.greedy import advise as advise_in_firenze
from domain.firenze.bot.weights import TUNED as TUNED_FOR_FIRENZE
from domain.firenze.components import SEATS as FIRENZE_SEATS
from domain.game import Draft, Message, Setup
from domain.games import GAMES
from domain.kit import one_of
from domain.seats import HOUSE

GAME = "calimala"
MATCHES = 1000  # for each number of seats
HELD_OUT = 5  # every so many-th match is foretold
RIDGE = 100.0
DIGITS = 3

ONE_OTHER_PLACEMENT_IN = 7  # of Calimala's placements: one of the best ones
PLACEMENTS = 6
ONE_RANDOM_MOVE_IN = 20  # of all moves in Firenze


@dataclass(frozen=True)
class Subject:
    """What is fitted of a game, and who plays its matches.

    Each feature has several weights: in Calimala by moments of a match, in Firenze by the number of
    seats.

    names: of its features.   features, sure_points, shares: by seat, in a position where a turn
    begins; the shares say how much each of the weights counts there, together 1.
    move: what a seat plays that has a choice.   path: of the weights.
    """

    names: Sequence[str]
    features: Callable[[Any], Sequence[Sequence[float]]]
    sure_points: Callable[[Any], Sequence[float]]
    shares: Callable[[Any], Sequence[Sequence[float]]]
    move: Callable[[Any, int, Chance], Message]
    path: Path


def _move_in_calimala(state: Any, seat: int, chance: Chance) -> Message:
    """Return the move that looks best at once; now and then another one of the best placements."""
    imagined = calimala.GAME.imagine(state, seat, chance)
    moves = legal_moves(imagined, seat)
    is_placement = type(state.agenda[-1]) is Turn
    if is_placement and chance.below(ONE_OTHER_PLACEMENT_IN) == 0:
        appraisals = appraised(moves, imagined, seat, chance, TUNED_FOR_CALIMALA)
        _worth, move = one_of(chance, appraisals[:PLACEMENTS])
        return move
    return best_in_calimala(moves, imagined, seat, chance, TUNED_FOR_CALIMALA)


def _move_in_firenze(state: Any, seat: int, chance: Chance) -> Message:
    """Return the greedy move, now and then a random one."""
    if chance.below(ONE_RANDOM_MOVE_IN) == 0:
        return firenze.GAME.random_move(state, seat, chance)
    return advise_in_firenze(state, seat, chance, TUNED_FOR_FIRENZE)


def _shares_in_calimala(state: Any) -> list[list[float]]:
    moments = calimala_features.shares_of_moments
    return [moments(time_left(state, player)) for player in state.players]


def _shares_in_firenze(state: Any) -> list[list[float]]:
    """Return 1 for the number of seats and 0 for the others: each has different weights."""
    seats = len(state.players)
    return [[float(seats == number) for number in FIRENZE_SEATS]] * seats


SUBJECTS = {
    "calimala": Subject(
        names=calimala_features.NAMES,
        features=calimala_features.features,
        sure_points=lambda state: [float(player.points) for player in state.players],
        shares=_shares_in_calimala,
        move=_move_in_calimala,
        path=Path(calimala_bot.__path__[0]) / "expected_points.json",
    ),
    "firenze": Subject(
        names=firenze_features.NAMES,
        features=lambda state: [
            firenze_features.features(state, seat) for seat in range(len(state.players))
        ],
        sure_points=lambda state: [
            firenze_features.sure_points(player) for player in state.players
        ],
        shares=_shares_in_firenze,
        move=_move_in_firenze,
        path=Path(firenze_bot.__path__[0]) / "expected_points.json",
    ),
}


class Played(NamedTuple):
    """A match: what was noted of each seat where a turn began, and how it ended.

    rows: every feature as much as each weight counts, turns x seats x (features * weights).
    sure: the points so far, turns x seats.   final: the points in the end, by seat.
    """

    rows: Array
    sure: Array
    final: Array


def play(key: str, seats: int, seed: int) -> Played:
    """Play a match of a game by its key and note it; the same seed is the same match."""
    subject = SUBJECTS[key]
    game = GAMES[key]
    hooks = game.search_hooks
    assert hooks is not None
    chance = FastChance(seed)
    state = game.initial(Setup(seats, game.read_options({})))
    draft = Draft(state, game.evolve, chance)
    rows, sure = [], []

    while actors := game.actors(state):
        if hooks.turn_begins(state):
            features = np.array(subject.features(state), dtype=float)
            shares = np.array(subject.shares(state), dtype=float)
            rows.append((features[:, :, None] * shares[:, None, :]).reshape(seats, -1))
            sure.append(subject.sure_points(state))

        seat = actors[0]
        moves = game.legal_moves(state, seat)
        has_choice = seat != HOUSE and len(moves) > 1
        game.play(draft, subject.move(state, seat, chance) if has_choice else moves[0])

    outcome = game.outcome(state)
    assert outcome is not None
    return Played(np.array(rows), np.array(sure), np.array(outcome.points, dtype=float))


def fit(matches: Sequence[Played]) -> Array:
    """Return the weights by least squares held small.

    What is foretold is what each seat gains on the mean of the others from a turn to the end. So
    nothing is fitted that comes to all seats alike.
    """
    numbers = matches[0].rows.shape[2]
    squares = RIDGE * np.eye(numbers)
    products = np.zeros(numbers)
    for match in matches:
        rows = ahead(match.rows, seats=1).reshape(-1, numbers)
        squares += rows.T @ rows
        products += rows.T @ ahead(match.final - match.sure, seats=1).ravel()

    weights: Array = np.round(np.linalg.solve(squares, products), DIGITS)
    return weights


class Quality(NamedTuple):
    """How well weights foretell matches.

    explained: the part of the variance of final leads (R squared); in a lead, a seat is compared
    with the mean of the others.   error: of these leads in points, the root of the mean square.
    winners: how often the seat with the best expected points wins, and `ahead`, the one with the
    most points so far.
    """

    explained: float
    error: float
    winners: float
    ahead: float


def quality(matches: Sequence[Played], weights: Array) -> Quality:
    """Return how well the weights foretell these matches."""
    expected = [match.sure + match.rows @ weights for match in matches]
    leads = [ahead(np.broadcast_to(match.final, match.sure.shape), seats=1) for match in matches]
    final = np.concatenate([each.ravel() for each in leads])
    errors = final - np.concatenate([ahead(each, seats=1).ravel() for each in expected])

    def wins(values: Sequence[Array]) -> float:
        """Return in how many turns the seat with the highest value is a winner."""
        won = [
            match.final[each.argmax(axis=1)] == match.final.max()
            for match, each in zip(matches, values, strict=True)
        ]
        return float(np.concatenate(won).mean())

    return Quality(
        explained=1 - float(np.var(errors) / np.var(final)),
        error=float(np.sqrt(np.mean(errors**2))),
        winners=wins(expected),
        ahead=wins([match.sure for match in matches]),
    )


def main() -> None:
    """Play, fit, show how well the weights foretell, and write them by feature."""
    subject = SUBJECTS[GAME]
    by_seats: dict[int, list[Played]] = {}
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        for seats in GAMES[GAME].seats:
            matches = processes.map(partial(play, GAME, seats), range(MATCHES), chunksize=20)
            by_seats[seats] = list(matches)

    played = by_seats.values()
    weights = fit([one for all_ in played for place, one in enumerate(all_) if place % HELD_OUT])
    for seats, all_ in by_seats.items():
        foretold = all_[::HELD_OUT]
        print(f"{seats} seats, {len(foretold)} matches: {quality(foretold, weights)}")

    rows = zip(subject.names, weights.reshape(len(subject.names), -1).tolist(), strict=True)
    lines = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows]
    subject.path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
