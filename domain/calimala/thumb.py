"""A quick player: the rule of thumb by which the greedy one lets everybody finish a turn."""

from typing import Any

from domain.calimala import commands as c
from domain.calimala.appraisal import (
    CARD,
    CLOTH,
    GOODS,
    HOUSES,
    SHIPS,
    WORKSHOPS,
    prices,
    time_left,
)
from domain.calimala.components import Action, Building, Category, Project
from domain.calimala.moves import legal_moves
from domain.calimala.state import Player, State

_ENGINES = {Project.SHIP: SHIPS, Project.WORKSHOP: WORKSHOPS, Project.TRADE_HOUSE: HOUSES}
_SPENT = {Project.SHIP: (0, 0), Project.WORKSHOP: (0, 1), Project.TRADE_HOUSE: (1, 1)}
_REPEATED = 0.8  # a second cube in the same place brings less than the first
_HURRY = 0.25  # a card must bring this much more than keeping it
_TOWN_HALL = 0.3  # an artwork at Palazzo Vecchio breaks ties

Prices = list[float]


class Thumb:
    """The rule of thumb with the prices of one position, found when first asked for."""

    __slots__ = ("_prices", "_state")

    def __init__(self, state: State) -> None:
        self._state = state
        self._prices: dict[int, Prices] = {}

    def choose(self, state: State, seat: int) -> Any:
        """Return the best move of an activation as this seat sees it (C19, C20), or any other move that is due."""
        if seat not in self._prices:
            self._prices[seat] = prices(self._state, seat)
        cost = self._prices[seat]
        player = state.players[seat]
        time = time_left(state, player)
        return max(legal_moves(state, seat), key=lambda move: _urge(move, player, cost, time))


def _urge(move: Any, player: Player, cost: Prices, time: float) -> float:
    kind = type(move)
    if kind is c.Perform:
        return 1.0 + worth(move, player, cost, time)
    if kind is c.PlayCard:
        return worth(move, player, cost, time) - CARD * min(1.0, 0.1 + 2.5 * time) - _HURRY
    return 0.5 if kind is c.Compensate else 0.0


def worth(move: c.Perform | c.PlayCard, player: Player, cost: Prices, time: float) -> float:
    """Return about what carrying the action out brings, in points."""
    keep = min(1.0, 0.1 + 2.5 * time)
    if move.cities is not None:
        return _delivered(move, cost) - CLOTH * keep * len(move.cities)
    if move.resource is not None and move.building is not None:
        given = (
            cost[Category.SANTA_MARIA_DEL_FIORE + move.building]
            + cost[Category.CONTRIBUTED_WOOD + move.resource]
        )
        return given - keep * _last(player, move.resource)
    if move.building is not None:
        return _artwork(move.building, cost) - keep * _last(player, Action.MARBLE)
    if move.build is not None:
        return _built(move.build, player, time) - keep * sum(
            _last(player, good) for good in _SPENT[move.build]
        )
    if move.action is Action.WEAVE:
        return CLOTH * keep * len(player.cloth)
    have = player.stock[move.action]
    return keep * (GOODS[move.action][have + 1] - GOODS[move.action][have])


def _last(player: Player, good: int) -> float:
    have = player.stock[good]
    return GOODS[good][have] - GOODS[good][have - 1]


def _built(project: Project, player: Player, time: float) -> float:
    have = {
        Project.SHIP: player.ships,
        Project.WORKSHOP: len(player.cloth),
        Project.TRADE_HOUSE: sum(player.houses),
    }[project]
    values = _ENGINES[project]
    return time * (values[have + 1] - values[have])


def _artwork(building: Building, cost: Prices) -> float:
    if building is Building.PALAZZO_VECCHIO:
        return cost[Category.ARTWORK] + cost[Category.PALAZZO_VECCHIO] + _TOWN_HALL
    return cost[Category.ARTWORK] + cost[Category.SANTA_MARIA_DEL_FIORE + building]


def _delivered(move: c.Perform | c.PlayCard, cost: Prices) -> float:
    together = cost[Category.PORT_CITIES if move.action is Action.SHIP else Category.TRADE_CITIES]
    result, fresh = 0.0, 1.0
    before = None
    for city in move.cities or ():
        fresh = fresh * _REPEATED if city is before else 1.0
        result += fresh * cost[city] + together
        together *= _REPEATED
        before = city
    return result
