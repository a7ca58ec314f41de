"""What prospects are guessed from: what a seat owns and what it may still do, as numbers."""

from domain.calimala.bot.scorings import final_cards_ahead, share, tiles_ahead, time_left
from domain.calimala.bot.valuation import times_to_come
from domain.calimala.bot.weights import TUNED
from domain.calimala.components import ACTIONS, ENDS, RESOURCES
from domain.calimala.majorities import counted, rank_keys
from domain.calimala.state import Player, State, seats_held

# The tiles to come in three groups, the sooner ones being surer: next are the first two of them,
# soon the others of the first six, later all the rest.
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
"""What each number of `features` says, in their order."""


def features(state: State) -> list[list[float]]:
    """Return by seat its numbers, by NAMES."""
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
    """Return by seat what the next tiles, those soon and later, and the final cards may bring."""
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
    """Return 1 for each ship, trade house and further workshop that the player has, else 0."""
    houses = sum(player.houses)
    workshops = len(player.cloth)
    return [
        *[float(player.ships >= count) for count in (1, 2, 3)],
        *[float(houses >= count) for count in (1, 2, 3)],
        *[float(workshops >= count) for count in (2, 3)],
    ]


def _goods(player: Player) -> list[float]:
    """Return the cubes in warehouses and workshops and the cards: the first ones, and all."""
    cloth = sum(player.cloth)
    cards = sum(player.hand)
    goods: list[float] = []
    for cubes in player.stock:
        goods += (min(cubes, 1), min(cubes, 2), cubes)
    return [*goods, cloth, min(cloth, 1), cards, min(cards, 1)]


def _activations_to_come(state: State, seat: int) -> list[float]:
    """Return by action how often the seat's discs are likely to carry it out again (C16)."""
    to_come = [0.0] * len(ACTIONS)
    for stack, cells in zip(state.streets, ENDS, strict=True):
        if seat in stack:
            times = times_to_come(stack, seat, TUNED)
            for cell in cells:
                to_come[state.grid[cell]] += times
    return to_come
