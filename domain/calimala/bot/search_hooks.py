"""The search hooks of Calimala.

The search compares placements of discs, and the cards to keep and to draft. Other moves are not
compared: those of an activation, and discs to give up at the council (C33). The valuation with the
tuned weights selects the candidates, and the moves of all seats in a rollout of one round. Then the
expected points count.
"""

from collections.abc import Sequence
from functools import cache

from domain.calimala.agenda import Activation, Drafting, Keeping, Turn
from domain.calimala.bot.greedy import RuleOfThumb, advise, appraised, best
from domain.calimala.bot.valuation import (
    final_cards_ahead,
    share,
    tiles_ahead,
    time_left,
    times_to_come,
)
from domain.calimala.bot.weights import TUNED
from domain.calimala.commands import Command, PlaceDisc
from domain.calimala.components import ACTIONS, ENDS, RESOURCES, Disc
from domain.calimala.moves import legal_moves
from domain.calimala.scoring import counted, rank_keys
from domain.calimala.state import Player, State, seats_held
from domain.chance import Chance
from domain.game import RolloutPolicy, SearchHooks
from domain.kit import read_table

# ---- features: what a seat owns and may still do, as numbers -------------------------------------


# The tiles to come count in three groups, since points of near tiles are surer: "next" are the two
# first tiles, "soon" the four after these, "later" all others.
_NEXT_TILES = 2
_TILES_NEXT_OR_SOON = 6

NAMES = (
    "time left",
    "next tiles",
    "tiles soon",
    "tiles later",
    "final cards",
    "first ship",
    "second ship",
    "third ship",
    "first trade house",
    "second trade house",
    "third trade house",
    "second workshop",
    "third workshop",
    *[f"{which} {good.wire}" for good in RESOURCES for which in ("first", "second", "all")],
    "cloth",
    "any cloth",
    "action cards",
    "any action card",
    "white discs",
    "coloured discs",
    "council seats",
    *[f"{action.wire} to come" for action in ACTIONS],
)
"""The names of the numbers of `features`, in their order."""


def features(state: State) -> list[list[float]]:
    """Return the features of each seat, in the order of NAMES."""
    scorings = _points_to_come(state)
    return [
        [
            time_left(state, player),
            *scorings[seat],
            *_engines(player),
            *_goods(player),
            player.whites,
            player.discs,
            seats_held(state, seat),
            *_activations_to_come(state, seat),
        ]
        for seat, player in enumerate(state.players)
    ]


def _points_to_come(state: State) -> list[list[float]]:
    """Return by seat the likely points of next, soon and later tiles, and of final cards."""
    losing = TUNED.losing
    tie_breaks = rank_keys(state)
    points = [[0.0, 0.0, 0.0, 0.0] for _ in state.players]

    for distance, majority in enumerate(tiles_ahead(state, losing)):
        group = (distance >= _NEXT_TILES) + (distance >= _TILES_NEXT_OR_SOON)
        counts = counted(state, majority.category)
        for seat, of_seat in enumerate(points):
            of_seat[group] += share(majority, counts, tie_breaks, seat)

    for seat, player in enumerate(state.players):
        for majority in final_cards_ahead(state, player, losing):
            counts = counted(state, majority.category)
            points[seat][-1] += share(majority, counts, tie_breaks, seat)
    return points


def _engines(player: Player) -> list[float]:
    """Return 1 for each ship, trade house and further workshop of the player, else 0."""
    houses = sum(player.houses)
    workshops = len(player.cloth)
    return [
        *[float(player.ships >= count) for count in (1, 2, 3)],
        *[float(houses >= count) for count in (1, 2, 3)],
        *[float(workshops >= count) for count in (2, 3)],
    ]


def _goods(player: Player) -> list[float]:
    """Return the cubes of each warehouse (capped at 1, at 2, and all), then cloth and cards.

    Cloth and cards count in full, and capped at 1.
    """
    cloth = sum(player.cloth)
    cards = sum(player.hand)
    goods: list[float] = []
    for cubes in player.stock:
        goods += (min(cubes, 1), min(cubes, 2), cubes)
    return [*goods, cloth, min(cloth, 1), cards, min(cards, 1)]


def _activations_to_come(state: State, seat: int) -> list[float]:
    """Return by action the likely number of further uses by the seat's discs (C16)."""
    to_come = [0.0] * len(ACTIONS)
    for stack, cells in zip(state.streets, ENDS, strict=True):
        if seat in stack:
            times = times_to_come(stack, seat, TUNED)
            for cell in cells:
                to_come[state.grid[cell]] += times
    return to_come


# ---- expected points at the end: a weighted sum of features --------------------------------------

# The weights are fitted on matches of bots (docs/explanation/bots.md).


# The moments of a match with weights, as the share of a seat's discs that is left. Between two
# moments the weights change evenly.
MOMENTS = (0.0, 1 / 3, 1.0)

_LEAST_DOUBT = 2.3  # points, when all discs are placed
_MORE_DOUBT = 2.3  # points more, before the first disc is placed


def expected_points(state: State) -> list[float]:
    """Return each seat's expected points at the end of the match, at the beginning of a turn."""
    return [
        player.points + _to_come(numbers, time_left(state, player))
        for player, numbers in zip(state.players, features(state), strict=True)
    ]


def doubt(state: State) -> float:
    """Return the doubt of the expected points, in points. More discs left mean more doubt."""
    times = [time_left(state, player) for player in state.players]
    return _LEAST_DOUBT + _MORE_DOUBT * max(times)


def shares_of_moments(time: float) -> list[float]:
    """Return the share of each of the MOMENTS in the weights. The shares add up to 1.

    time: share of the seat's discs that is left.
    """
    shares = [0.0] * len(MOMENTS)
    later = 0 if time < MOMENTS[1] else 1
    earlier = later + 1
    weight = (time - MOMENTS[later]) / (MOMENTS[earlier] - MOMENTS[later])
    shares[later] = 1 - weight
    shares[earlier] = weight
    return shares


def _to_come(numbers: Sequence[float], time: float) -> float:
    weighed = zip(_weights(time), numbers, strict=True)
    return sum([weight * number for weight, number in weighed])


@cache  # a seat has few different numbers of discs left
def _weights(time: float) -> Sequence[float]:
    """Return the weights at a time (`shares_of_moments`), in the order of NAMES."""
    shares = shares_of_moments(time)
    return [
        sum([part * weight for part, weight in zip(shares, row, strict=True)]) for row in _FITTED
    ]


def _read_weights() -> list[list[float]]:
    """Return the weights by feature in the order of NAMES, then by moment."""
    rows = read_table(__package__, "expected_points.json")
    return [rows[name] for name in NAMES]


_FITTED = _read_weights()


# ---- the hooks -----------------------------------------------------------------------------------


_WEIGHED = (Keeping, Drafting, Turn)  # items of the agenda with moves to compare
_MOST_CANDIDATES = 12
_MUCH_WORSE = 6.0  # points. A move so much worse than the best is no candidate


def _candidates(state: State, seat: int, chance: Chance) -> Sequence[Command]:
    """Return the moves of the greatest worth, or one move if moves are not compared here."""
    if type(state.agenda[-1]) not in _WEIGHED:
        return [_careful(state, seat, chance)]

    appraisals = appraised(legal_moves(state, seat), state, seat, chance, TUNED)
    best_worth, _best_move = appraisals[0]
    least_worth = best_worth - _MUCH_WORSE
    return [move for worth, move in appraisals[:_MOST_CANDIDATES] if worth > least_worth]


def _rollout_policy(state: State) -> RolloutPolicy[State]:
    """Return the policy of all seats this turn: a rule of thumb in activations, else greedy."""
    rule = RuleOfThumb(state, TUNED)

    def choose(now: State, seat: int, chance: Chance) -> Command:
        if type(now.agenda[-1]) is Activation:
            return rule.choose(now, seat)
        return best(_usual_moves(now, seat), now, seat, chance, TUNED)

    return choose


def _careful(state: State, seat: int, chance: Chance) -> Command:
    """Return the greedy move, also in an activation."""
    return advise(state, seat, chance, TUNED)


def _usual_moves(state: State, seat: int) -> Sequence[Command]:
    """Return all moves, without white discs while the seat has coloured ones.

    That may halve the number of placements to try.
    """
    moves = legal_moves(state, seat)
    if state.players[seat].discs:
        return [move for move in moves if not _places_white(move)]
    return moves


def _places_white(move: Command) -> bool:
    return isinstance(move, PlaceDisc) and move.disc is Disc.WHITE


def _turn_begins(state: State) -> bool:
    return type(state.agenda[-1]) is Turn


def _turns_ahead(state: State) -> int:
    """Return the number of turns in a round: the seat then places a disc again."""
    return len(state.players)


SEARCH_HOOKS = SearchHooks(
    candidates=_candidates,
    rollout_policy=_rollout_policy,
    careful=_careful,
    turn_begins=_turn_begins,
    turns_ahead=_turns_ahead,
    expected_points=expected_points,
    doubt=doubt,
)
