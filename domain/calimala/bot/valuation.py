"""What a position is worth to a seat, in points: a guess from what that seat may know.

The majorities are guessed as if every lead could still be lost, the more easily the later the
scoring. Goods, engines and discs on the board count for what they usually bring, which fades as
the discs run out. The numbers are round guesses: halving or doubling single ones made no difference
that forty matches could show.
"""

from collections.abc import Sequence
from functools import cache
from math import exp
from typing import NamedTuple

from domain.calimala.components import (
    CATEGORIES,
    COLOURED_DISCS,
    FINAL_PLACES,
    FULL_STACK,
    PLACES,
    STREETS,
    TILES,
    WHITE_DISCS,
    Category,
)
from domain.calimala.majorities import counted, rank_keys
from domain.calimala.state import Player, State, seats_held

# What 0, 1, 2, ... of these are worth to their owner.
SHIPS = (0.0, 2.2, 3.6, 4.4)
HOUSES = (0.0, 1.6, 2.8, 3.6)
WORKSHOPS = (0.0, 0.0, 1.8, 3.0)
GOODS = (  # wood, brick, marble
    (0.0, 0.5, 0.95, 1.15, 1.25),
    (0.0, 0.5, 0.95, 1.15, 1.25),
    (0.0, 0.6, 1.1, 1.4, 1.6),
)

# What one of these is worth.
CLOTH = 0.3
CARD = 0.45
_WHITE_KEPT = 0.5
_SEAT = 0.35
_ACTIVATION = 0.45

_OTHERS = 0.5  # what the others have counts half


def lead(state: State, seat: int) -> float:
    """Return the seat's position against the mean of the others'."""
    others = [position(state, other) for other in range(len(state.players)) if other != seat]
    return position(state, seat) - _OTHERS * sum(others) / len(others)


def position(state: State, seat: int) -> float:
    """Return the points the seat has, is likely to score, and may make of what it owns."""
    player = state.players[seat]
    return player.points + _majorities(state, seat) + _belongings(state, player, seat)


def time_left(state: State, player: Player) -> float:
    """Return the share (0-1) of the player's discs that they have still to place."""
    seats = len(state.players)
    return (player.discs + player.whites) / (COLOURED_DISCS[seats] + WHITE_DISCS[seats])


def usefulness(time: float) -> float:
    """Return how much of their worth goods and cards still have with so much time left (0-1)."""
    return min(1.0, 0.1 + 2.5 * time)


# ---- majorities ----------------------------------------------------------------------------------

_LEAST_SPREAD = 0.35
_SPREAD_A_TILE = 0.12
_SPREAD_AT_THE_END = 1.6
_TIE = 0.4  # of a cube: what it counts to win a tie, or to lose it


class Majority(NamedTuple):
    """A scoring to come: what it counts, how easily a lead in it is lost, and its points."""

    category: Category
    spread: float
    places: Sequence[int]


def prices(state: State, seat: int) -> list[float]:
    """Return what one more cube in each Category would bring the seat."""
    keys = rank_keys(state)
    worth = [0.0] * len(CATEGORIES)
    for majority in _majorities_ahead(state, seat):
        counts = list(counted(state, majority.category))
        before = _share(majority, counts, keys, seat)
        counts[seat] += 1
        after = _share(majority, counts, keys, seat)
        worth[majority.category] += after - before
    return worth


def _majorities(state: State, seat: int) -> float:
    keys = rank_keys(state)
    return sum(
        _share(majority, counted(state, majority.category), keys, seat)
        for majority in _majorities_ahead(state, seat)
    )


def _majorities_ahead(state: State, seat: int) -> list[Majority]:
    """Return the scorings to come that the seat knows of."""
    player = state.players[seat]
    free_places = sum(FULL_STACK - len(stack) for stack in state.streets)
    pace = free_places / len(STREETS)
    tiles = [
        Majority(tile, _LEAST_SPREAD + _SPREAD_A_TILE * (ahead + pace), PLACES)
        for ahead, tile in enumerate(state.council[state.scored :])
    ]

    late = _LEAST_SPREAD + _SPREAD_AT_THE_END * time_left(state, player)
    known = [card for card in (state.face_up, player.kept) if card is not None]
    return [*tiles, *[Majority(card, late, FINAL_PLACES) for card in known]]


def _share(
    majority: Majority, counts: Sequence[int], keys: Sequence[tuple[int, ...]], seat: int
) -> float:
    """Return the points a seat may expect: by how many others are likely to end above it.

    counts: cubes by seat. keys: what breaks ties, by seat (`rank_keys`).
    """
    own = counts[seat]
    if not own:
        return 0.0

    own_key = keys[seat]
    spread = round(majority.spread, 2)
    above = 0.0
    for other, count in enumerate(counts):
        if count and other != seat:
            tie = _TIE if keys[other] < own_key else -_TIE
            above += _risk(count - own + tie, spread)
    return _between_places(above, majority.places)


@cache
def _risk(behind: float, spread: float) -> float:
    """Return how likely (0-1) a seat ends above that is so many cubes ahead now."""
    return 1 / (1 + exp(-behind / spread))


def _between_places(above: float, places: Sequence[int]) -> float:
    """Return the points of a place between two, such as 1.3 others above: 0.7 second, 0.3 third."""
    points = (*places, 0, 0, 0)
    place = int(above)
    return points[place] + (above - place) * (points[place + 1] - points[place])


# ---- belongings ----------------------------------------------------------------------------------


def _belongings(state: State, player: Player, seat: int) -> float:
    time = time_left(state, player)
    engines = SHIPS[player.ships] + HOUSES[sum(player.houses)] + WORKSHOPS[len(player.cloth)]
    goods = sum(values[cubes] for values, cubes in zip(GOODS, player.stock, strict=True))
    goods += CLOTH * sum(player.cloth) + CARD * sum(player.hand)

    # Seats break ties in the tiles that are still to be scored.
    seats = _SEAT * seats_held(state, seat) * (1 - state.scored / len(TILES))
    return (
        engines * time
        + goods * usefulness(time)
        + _WHITE_KEPT * player.whites * time
        + seats
        + _ACTIVATION * time * _activations_to_come(state, seat)
    )


_FROM_THE_TOP = (
    2  # a disc on top is likely to be activated so often again, each one below once less
)
_NEXT_TO_RISE = 0.5


def _activations_to_come(state: State, seat: int) -> float:
    """Return how often the seat's discs on the streets may still be activated (C16).

    One that is the next to rise to the council counts extra.
    """
    total = 0.0
    for stack in state.streets:
        for depth, disc in enumerate(reversed(stack)):
            if disc == seat:
                total += max(0, _FROM_THE_TOP - depth)
        if len(stack) == FULL_STACK and stack[0] == seat:
            total += _NEXT_TO_RISE
    return total
