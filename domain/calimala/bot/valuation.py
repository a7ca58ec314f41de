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
    worth = positions(state)
    own_worth = worth.pop(seat)
    return own_worth - _OTHERS * sum(worth) / len(worth)


def positions(state: State) -> list[float]:
    """Return by seat the points it has, is likely to score, and may make of what it owns."""
    to_score = _majorities(state)
    return [
        player.points + to_score[seat] + _belongings(state, player, seat)
        for seat, player in enumerate(state.players)
    ]


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
    tie_breaks = rank_keys(state)
    worth = [0.0] * len(CATEGORIES)
    majorities_ahead = _tiles_ahead(state) + _final_cards_ahead(state, state.players[seat])
    for majority in majorities_ahead:
        category = majority.category
        counts = list(counted(state, category))
        before = _share(majority, counts, tie_breaks, seat)

        counts[seat] += 1
        after = _share(majority, counts, tie_breaks, seat)
        worth[category] += after - before
    return worth


def _majorities(state: State) -> list[float]:
    """Return by seat the points that it is likely to make of the scorings to come.

    Most of these are the same for all seats, so what they count is counted once.
    """
    seats = range(len(state.players))
    tie_breaks = rank_keys(state)
    likely_points = [0.0] * len(seats)

    for majority in _tiles_ahead(state):
        counts = counted(state, majority.category)
        for seat in seats:
            likely_points[seat] += _share(majority, counts, tie_breaks, seat)

    for seat, player in enumerate(state.players):
        for majority in _final_cards_ahead(state, player):
            counts = counted(state, majority.category)
            likely_points[seat] += _share(majority, counts, tie_breaks, seat)
    return likely_points


def _tiles_ahead(state: State) -> list[Majority]:
    """Return the tiles still to be scored: a lead lasts longer where stacks are nearly full."""
    free_places = sum(FULL_STACK - len(stack) for stack in state.streets)
    pace = free_places / len(STREETS)
    tiles_left = state.council[state.scored :]

    majorities = []
    for distance, tile in enumerate(tiles_left):
        ahead = distance + pace
        spread = _LEAST_SPREAD + _SPREAD_A_TILE * ahead
        majority = Majority(tile, round(spread, 2), PLACES)
        majorities.append(majority)
    return majorities


def _final_cards_ahead(state: State, player: Player) -> list[Majority]:
    """Return the final scoring cards that the player knows of: the open one, and what they kept."""
    spread = round(_LEAST_SPREAD + _SPREAD_AT_THE_END * time_left(state, player), 2)
    known_cards = (state.face_up, player.kept)
    return [Majority(card, spread, FINAL_PLACES) for card in known_cards if card is not None]


def _share(
    majority: Majority, counts: Sequence[int], tie_breaks: Sequence[tuple[int, ...]], seat: int
) -> float:
    """Return the points a seat may expect: by how many others are likely to end above it.

    counts: cubes by seat. tie_breaks: by seat, the least is the best (`rank_keys`).
    """
    own_count = counts[seat]
    if not own_count:
        return 0.0

    own_tie_break = tie_breaks[seat]
    above = 0.0
    for other, count in enumerate(counts):
        if count and other != seat:
            tie = _TIE if tie_breaks[other] < own_tie_break else -_TIE
            above += _risk(count - own_count + tie, majority.spread)

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
    """Return what the seat may still make of what it owns."""
    time = time_left(state, player)
    seats_worth = _SEAT * seats_held(state, seat)
    ties_to_come = 1 - state.scored / len(TILES)
    return (
        _engines(player) * time
        + _goods(player) * usefulness(time)
        + _WHITE_KEPT * player.whites * time
        + seats_worth * ties_to_come
        + _ACTIVATION * time * _activations_to_come(state, seat)
    )


def _engines(player: Player) -> float:
    """Return what ships, trade houses and workshops are worth with all the time left."""
    ships = SHIPS[player.ships]
    houses = HOUSES[sum(player.houses)]
    workshops = WORKSHOPS[len(player.cloth)]
    return ships + houses + workshops


def _goods(player: Player) -> float:
    """Return what the cubes in warehouses and workshops and the cards are worth."""
    heaps = zip(GOODS, player.stock, strict=True)
    in_warehouses = sum(values[cubes] for values, cubes in heaps)
    cloth = CLOTH * sum(player.cloth)
    cards = CARD * sum(player.hand)
    return in_warehouses + (cloth + cards)


_FROM_THE_TOP = (
    2  # a disc on top is likely to be activated so often again, each one below once less
)
_NEXT_TO_RISE = 0.5


def _activations_to_come(state: State, seat: int) -> float:
    """Return how often the seat's discs on the streets may still be activated (C16).

    One that is the next to rise to the council counts extra.
    """
    activations = 0.0
    for stack in state.streets:
        for depth, disc in enumerate(reversed(stack)):
            if disc == seat:
                activations += max(0, _FROM_THE_TOP - depth)

        if len(stack) == FULL_STACK and stack[0] == seat:
            activations += _NEXT_TO_RISE
    return activations
