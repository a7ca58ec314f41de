"""Fit the weights by which Firenze's prospects are guessed, and tell how well they foretell.

Run `python -m benchmarks.fitting [MATCHES]`. Greedy bots play matches of every number of seats. One
move in twenty is a random one, so that there are positions that a greedy bot would not reach. Where
a turn begins each seat's features are noted, and the points that it makes from there to the end.
The weights are those of the least squares, held small (ridge regression) and rounded. They are
written to domain/firenze/bot/weights.json. Every fifth match is not fitted on, but foretold.
"""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import domain.firenze.bot as firenze_bot
from domain.chance import Light
from domain.firenze import GAME
from domain.firenze.bot.features import NAMES, features, sure_points
from domain.firenze.state import State
from domain.game import Draft, Setup
from domain.seats import HOUSE

MATCHES = 800  # for each number of seats
ONE_RANDOM_MOVE_IN = 20
HELD_OUT = 5  # every so many-th match is foretold
RIDGE = 10.0
DIGITS = 3
WEIGHTS = Path(firenze_bot.__path__[0]) / "weights.json"

Numbers = NDArray[np.float64]


class Played(NamedTuple):
    """A match: by turn and seat features and points so far, by seat the points in the end."""

    features: Numbers  # turns x seats x features
    sure: Numbers  # turns x seats
    final: Numbers  # seats


def play(seats: int, seed: int) -> Played:
    """Play a match of greedy bots; return what was noted where its turns began."""
    chance = Light(seed)
    state = GAME.initial(Setup(seats, GAME.read_options({})))
    draft = Draft(state, GAME.evolve, chance)
    noted: list[list[list[float]]] = []
    sure: list[list[float]] = []

    while actors := GAME.actors(state):
        seat = actors[0]
        if _turn_begins(state):
            noted.append([features(state, each) for each in range(seats)])
            sure.append([sure_points(player) for player in state.players])
        GAME.play(draft, _move(state, seat, chance))

    outcome = GAME.outcome(state)
    assert outcome is not None
    return Played(np.array(noted), np.array(sure), np.array(outcome.points, dtype=float))


def _turn_begins(state: State) -> bool:
    assert GAME.foresight is not None
    return GAME.foresight.turn_begins(state)


def _move(state: State, seat: int, chance: Light) -> Any:
    if seat == HOUSE:
        return GAME.legal_moves(state, HOUSE)[0]
    if chance.below(ONE_RANDOM_MOVE_IN) == 0:
        return GAME.random_move(state, seat, chance)
    return GAME.advise(state, seat, chance)


def fit(matches: list[Played]) -> Numbers:
    """Return the weights of the features, by least squares held small."""
    rows = np.concatenate([_rows(match) for match in matches])
    to_come = np.concatenate([_to_come(match) for match in matches])
    held_small = RIDGE * np.eye(len(NAMES))
    weights = np.linalg.solve(rows.T @ rows + held_small, rows.T @ to_come)
    rounded: Numbers = np.round(weights, DIGITS).astype(np.float64)
    return rounded


def _rows(match: Played) -> Numbers:
    return match.features.reshape(-1, len(NAMES))


def _to_come(match: Played) -> Numbers:
    return (match.final - match.sure).ravel()


class Quality(NamedTuple):
    """How well weights foretell matches.

    explained: the part of the variance of the points to come (R squared). error: in points, the
    root of the mean square. winners: how often the seat with the best prospects wins, and `ahead`,
    the one with the most points so far.
    """

    explained: float
    error: float
    winners: float
    ahead: float


def quality(matches: list[Played], weights: Numbers) -> Quality:
    """Return how well the weights foretell these matches."""
    to_come = np.concatenate([_to_come(match) for match in matches])
    errors = np.concatenate([_to_come(match) - _rows(match) @ weights for match in matches])
    foretold = np.concatenate([_foretold(match, _prospects(match, weights)) for match in matches])
    leading = np.concatenate([_foretold(match, match.sure) for match in matches])
    return Quality(
        explained=1 - float(np.var(errors) / np.var(to_come)),
        error=float(np.sqrt(np.mean(errors**2))),
        winners=float(foretold.mean()),
        ahead=float(leading.mean()),
    )


def _prospects(match: Played, weights: Numbers) -> Numbers:
    prospects: Numbers = match.sure + match.features @ weights
    return prospects


def _foretold(match: Played, values: Numbers) -> Numbers:
    """Return by turn whether the seat with the highest value won: 1 or 0."""
    best = values.argmax(axis=1)
    won: Numbers = (match.final[best] == match.final.max()).astype(float)
    return won


def main() -> None:
    """Play, fit, tell, and write the weights."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES
    columns: dict[str, dict[str, float]] = {name: {} for name in NAMES}

    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for seats in GAME.seats:
            played = list(pool.map(play, [seats] * matches, range(matches), chunksize=20))
            fitted_on = [match for number, match in enumerate(played) if number % HELD_OUT]
            weights = fit(fitted_on)
            print(f"{seats} seats, {matches} matches: {quality(played[::HELD_OUT], weights)}")
            for name, weight in zip(NAMES, weights, strict=True):
                columns[name][str(seats)] = float(weight)

    WEIGHTS.write_text(json.dumps(columns, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
