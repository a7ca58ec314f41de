"""What is fitted of each game, and who plays its matches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import domain.calimala.bot as calimala_bot
import domain.firenze.bot as firenze_bot
from domain import calimala, firenze
from domain.calimala.agenda import Turn
from domain.calimala.bot import search_hooks as calimala_features
from domain.calimala.bot.greedy import appraised, best as best_in_calimala
from domain.calimala.bot.search_hooks import shares_of_moments
from domain.calimala.bot.valuation import time_left
from domain.calimala.bot.weights import TUNED as TUNED_FOR_CALIMALA
from domain.calimala.moves import legal_moves
from domain.chance import Chance
from domain.firenze.bot import search_hooks as firenze_features
from domain.firenze.bot.greedy import advise as advise_in_firenze
from domain.firenze.bot.weights import TUNED as TUNED_FOR_FIRENZE
from domain.firenze.components import SEATS as FIRENZE_SEATS
from domain.game import Game, Message
from domain.kit import one_of

_ONE_OTHER_PLACEMENT_IN = 7  # of Calimala's placements: one of the best ones
_PLACEMENTS = 6
_ONE_RANDOM_MOVE_IN = 20  # of all moves in Firenze


@dataclass(frozen=True)
class Subject:
    """A game whose prospects are fitted.

    Each feature has several weights: in Calimala by moments of a match, in Firenze by the number of
    seats.

    names: of its features. features, sure_points, shares: by seat, in a position where a turn
    begins; the shares say how much each of the weights counts there, together 1.
    move: what a seat plays that has a choice. path: of the weights.
    """

    game: Game[Any]
    names: Sequence[str]
    features: Callable[[Any], Sequence[Sequence[float]]]
    sure_points: Callable[[Any], Sequence[float]]
    shares: Callable[[Any], Sequence[Sequence[float]]]
    move: Callable[[Any, int, Chance], Message]
    path: Path


# ---- Calimala ------------------------------------------------------------------------------------


def _calimala_points(state: Any) -> list[float]:
    return [float(player.points) for player in state.players]


def _calimala_shares(state: Any) -> list[list[float]]:
    return [shares_of_moments(time_left(state, player)) for player in state.players]


def _calimala_move(state: Any, seat: int, chance: Chance) -> Message:
    """Return the move that looks best at once; now and then another one of the best placements."""
    imagined = calimala.GAME.imagine(state, seat, chance)
    moves = legal_moves(imagined, seat)
    is_placement = type(state.agenda[-1]) is Turn
    if is_placement and chance.below(_ONE_OTHER_PLACEMENT_IN) == 0:
        appraisals = appraised(moves, imagined, seat, chance, TUNED_FOR_CALIMALA)
        _worth, move = one_of(chance, appraisals[:_PLACEMENTS])
        return move
    return best_in_calimala(moves, imagined, seat, chance, TUNED_FOR_CALIMALA)


# ---- Firenze -------------------------------------------------------------------------------------


def _firenze_features(state: Any) -> list[list[float]]:
    return [firenze_features.features(state, seat) for seat in range(len(state.players))]


def _firenze_points(state: Any) -> list[float]:
    return [firenze_features.sure_points(player) for player in state.players]


def _firenze_shares(state: Any) -> list[list[float]]:
    """Return 1 for the number of seats and 0 for the others: each has its own weights."""
    seats = len(state.players)
    shares = [float(seats == number) for number in FIRENZE_SEATS]
    return [shares] * seats


def _firenze_move(state: Any, seat: int, chance: Chance) -> Message:
    """Return the greedy move, now and then a random one."""
    if chance.below(_ONE_RANDOM_MOVE_IN) == 0:
        return firenze.GAME.random_move(state, seat, chance)
    return advise_in_firenze(state, seat, chance, TUNED_FOR_FIRENZE)


SUBJECTS = {
    "calimala": Subject(
        game=calimala.GAME,
        names=calimala_features.NAMES,
        features=calimala_features.features,
        sure_points=_calimala_points,
        shares=_calimala_shares,
        move=_calimala_move,
        path=Path(calimala_bot.__path__[0]) / "expected_points.json",
    ),
    "firenze": Subject(
        game=firenze.GAME,
        names=firenze_features.NAMES,
        features=_firenze_features,
        sure_points=_firenze_points,
        shares=_firenze_shares,
        move=_firenze_move,
        path=Path(firenze_bot.__path__[0]) / "expected_points.json",
    ),
}
