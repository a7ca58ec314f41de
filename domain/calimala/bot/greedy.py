"""The greedy bot: try each move, finish the turn by a rule of thumb, and take the best position."""

from collections.abc import Sequence
from operator import itemgetter

from domain.calimala.agenda import Activation, Scoring
from domain.calimala.bot.valuation import lead, prices, time_left, usefulness
from domain.calimala.bot.weights import BY_HAND, Weights
from domain.calimala.commands import Command, Compensate, Perform, PlayCard, Score
from domain.calimala.components import Action, Building, Category, City, Project, Resource
from domain.calimala.evolve import evolve
from domain.calimala.moves import legal_moves
from domain.calimala.play import play
from domain.calimala.state import State
from domain.chance import Chance
from domain.game import Draft

# ---- the rule of thumb for all seats, to finish a turn -------------------------------------------


_SPENT = {  # by project, the goods of its price, one entry per cube
    Project.SHIP: (Action.WOOD, Action.WOOD),
    Project.WORKSHOP: (Action.WOOD, Action.BRICK),
    Project.TRADE_HOUSE: (Action.BRICK, Action.BRICK),
}
_DONE = 1.0  # additional urge to carry an activated action out
_DRAWN = 0.5  # urge to draw a card for an action. There is no urge to give an action up

Carried = Perform | PlayCard
Prices = list[float]


class RuleOfThumb:
    """The rule of thumb with the prices of one position. A seat's prices are computed if needed."""

    __slots__ = ("_prices", "_state", "_weights")

    def __init__(self, state: State, weights: Weights) -> None:
        self._state = state
        self._weights = weights
        self._prices: dict[int, Prices] = {}

    def choose(self, state: State, seat: int) -> Command:
        """Return the seat's move with the greatest urge in an activation (C19, C20).

        Outside of activations the urge is always 0, so the first move is returned.
        """
        if seat not in self._prices:
            self._prices[seat] = prices(self._state, seat, self._weights.losing)

        scale = Scale(state, seat, self._prices[seat], self._weights)
        return max(legal_moves(state, seat), key=scale.urge)


class Scale:
    """The worth of the moves of one seat in one position, in points."""

    __slots__ = ("_player", "_prices", "_time", "_usefulness", "_weights")

    def __init__(self, state: State, seat: int, seat_prices: Prices, weights: Weights) -> None:
        self._player = state.players[seat]
        self._prices = seat_prices
        self._time = time_left(state, self._player)
        self._usefulness = usefulness(self._time, weights.fading)
        self._weights = weights

    def urge(self, move: Command) -> float:
        """Return the seat's urge to make this move now."""
        if isinstance(move, Perform):
            return _DONE + self.worth(move)
        if isinstance(move, PlayCard):
            card_worth = self._weights.card * self._usefulness
            return self.worth(move) - card_worth - self._weights.hurry
        return _DRAWN if isinstance(move, Compensate) else 0.0

    def worth(self, move: Carried) -> float:
        """Return the estimated gain of carrying the action out, less its cost."""
        if move.cities is not None:
            return self._delivering(move.action, move.cities)
        if move.building is not None:
            return self._giving(move.building, move.resource)
        if move.build is not None:
            return self._building(move.build)

        if move.action is Action.WEAVE:
            workshops = len(self._player.cloth)
            return self._weights.cloth * self._usefulness * workshops

        gained = self._next_cube(move.action)
        return self._usefulness * gained

    def _delivering(self, action: Action, cities: tuple[City, ...]) -> float:
        cloth_spent = self._weights.cloth * self._usefulness * len(cities)
        return self._delivered(action, cities) - cloth_spent

    def _delivered(self, action: Action, cities: tuple[City, ...]) -> float:
        """Return the gain of delivered cloth: in each city, and in all cities of its sort together.

        The cities are sorted, so equal ones stand side by side.
        """
        sort = Category.PORT_CITIES if action is Action.SHIP else Category.TRADE_CITIES
        together = self._prices[sort]
        brought = 0.0
        repeated = self._weights.repeated
        share = 1.0
        city_before = None
        for city in cities:
            share = share * repeated if city is city_before else 1.0
            brought += share * self._prices[city] + together
            together *= repeated
            city_before = city
        return brought

    def _giving(self, building: Building, resource: Resource | None) -> float:
        """Return the gain of an artwork, or of a contribution of this resource, less its cost."""
        if resource is None:
            return self._artwork(building) - self._usefulness * self._last_cube(Action.MARBLE)
        contributed = self._contributed(building, resource)
        return contributed - self._usefulness * self._last_cube(resource)

    def _contributed(self, building: int, resource: int) -> float:
        at_building = self._prices[Category.SANTA_MARIA_DEL_FIORE + building]
        return at_building + self._prices[Category.CONTRIBUTED_WOOD + resource]

    def _artwork(self, building: Building) -> float:
        as_artwork = self._prices[Category.ARTWORK]
        if building is Building.PALAZZO_VECCHIO:
            return as_artwork + self._prices[Category.PALAZZO_VECCHIO] + self._weights.town_hall
        return as_artwork + self._prices[Category.SANTA_MARIA_DEL_FIORE + building]

    def _building(self, project: Project) -> float:
        values, owned = self._engine(project)
        built = self._time * (values[owned + 1] - values[owned])
        spent = sum(self._last_cube(good) for good in _SPENT[project])
        return built - self._usefulness * spent

    def _next_cube(self, good: int) -> float:
        """Return the worth of one more cube in this warehouse."""
        owned = self._player.stock[good]
        values = self._weights.goods[good]
        return values[owned + 1] - values[owned]

    def _last_cube(self, good: int) -> float:
        """Return the worth of the last cube in this warehouse."""
        owned = self._player.stock[good]
        values = self._weights.goods[good]
        return values[owned] - values[owned - 1]

    def _engine(self, project: Project) -> tuple[tuple[float, ...], int]:
        """Return the worth of 0, 1, 2, ... ships, workshops or houses, and the player's number."""
        if project is Project.SHIP:
            return self._weights.ships, self._player.ships
        if project is Project.WORKSHOP:
            return self._weights.workshops, len(self._player.cloth)
        return self._weights.houses, sum(self._player.houses)


# ---- the move with the best position after it ----------------------------------------------------


def advise(state: State, seat: int, chance: Chance, weights: Weights = BY_HAND) -> Command:
    """Return the move with the best position for the seat at the end of the turn (C14, C20, C33).

    state: an imagined one. seat: a seat, or HOUSE with its only move.
    """
    return best(legal_moves(state, seat), state, seat, chance, weights)


def best(
    moves: Sequence[Command], state: State, seat: int, chance: Chance, weights: Weights
) -> Command:
    """Return the move with the best position for the seat at the end of the turn."""
    if len(moves) == 1:
        return moves[0]

    _worth, move = appraised(moves, state, seat, chance, weights)[0]
    return move


def appraised(
    moves: Sequence[Command], state: State, seat: int, chance: Chance, weights: Weights
) -> list[tuple[float, Command]]:
    """Return each move with the worth of the seat's position at the end of the turn, best first.

    The worth is the `lead` over the others, in points. The state stays unchanged.
    """
    rule = RuleOfThumb(state, weights)

    appraisals = []
    for move in moves:
        after = _after_the_turn(state, move, rule, chance)
        appraisals.append((lead(after, seat, weights), move))

    appraisals.sort(key=itemgetter(0), reverse=True)
    return appraisals


def _after_the_turn(state: State, move: Command, rule: RuleOfThumb, chance: Chance) -> State:
    """Return the position after a move, the activations that follow, and a scoring if it is due."""
    draft = Draft(state.copy(), evolve, chance)
    after = draft.state
    play(draft, move)

    while True:
        top = after.agenda[-1]
        if type(top) is not Activation:
            break
        play(draft, rule.choose(after, top.seat))

    if type(top) is Scoring:
        play(draft, Score())
    return after
