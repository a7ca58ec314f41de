"""The valuation: an estimate of the worth of a position to a seat, in points.

The scorings to come count by their likely points. Goods, engines and discs on the board count by
their usual gain, and less as the discs run out. Engines are ships, trade houses and workshops. The
weights hold the numbers.
"""

from collections.abc import Sequence
from functools import cache
from math import exp
from typing import NamedTuple

from domain.calimala.bot.weights import Fading, Losing, Weights
from domain.calimala.components import (
    CATEGORIES,
    COLOURED_DISCS,
    ENDS,
    FINAL_PLACES,
    FULL_STACK,
    PLACES,
    STREETS,
    TILES,
    WHITE_DISCS,
    Category,
)
from domain.calimala.scoring import counted, rank_keys
from domain.calimala.state import Player, State, seats_held


def lead(state: State, seat: int, weights: Weights) -> float:
    """Return the worth of the seat's position, less the weighted mean of the other positions."""
    worth = positions(state, weights)
    own_worth = worth.pop(seat)
    return own_worth - weights.others * sum(worth) / len(worth)


def positions(state: State, weights: Weights) -> list[float]:
    """Return by seat the sum of points, likely points to come and worth of belongings."""
    to_score = likely_points(state, weights.losing)
    return [
        player.points + to_score[seat] + _belongings(state, player, seat, weights)
        for seat, player in enumerate(state.players)
    ]


def usefulness(time: float, fading: Fading) -> float:
    """Return the remaining share (0-1) of the worth of goods and cards.

    time: as in `time_left`.
    """
    return min(1.0, fading.goods_at_the_end + fading.goods_with_time * time)


def _belongings(state: State, player: Player, seat: int, weights: Weights) -> float:
    """Return the worth of the seat's belongings with the time left."""
    time = time_left(state, player)
    fading = weights.fading
    ties_to_come = 1 - state.scored / len(TILES)
    return (
        _engines(player, weights) * _faded(time, fading.engines)
        + _goods(player, weights) * usefulness(time, fading)
        + weights.white * player.whites * _faded(time, fading.whites)
        + weights.seat * seats_held(state, seat) * ties_to_come
        + _activations_to_come(state, seat, weights) * _faded(time, fading.discs)
    )


def _faded(time: float, power: float) -> float:
    """Return the remaining share (0-1) of a worth. time: as in `time_left`."""
    share: float = time**power
    return share


def _engines(player: Player, weights: Weights) -> float:
    """Return the worth of ships, trade houses and workshops when all discs are left."""
    ships = weights.ships[player.ships]
    houses = weights.houses[sum(player.houses)]
    workshops = weights.workshops[len(player.cloth)]
    return ships + houses + workshops


def _goods(player: Player, weights: Weights) -> float:
    """Return the worth of cubes in warehouses and workshops, and of cards."""
    heaps = zip(weights.goods, player.stock, strict=True)
    in_warehouses = sum(values[cubes] for values, cubes in heaps)
    cloth = weights.cloth * sum(player.cloth)
    cards = weights.card * sum(player.hand)
    return in_warehouses + (cloth + cards)


def _activations_to_come(state: State, seat: int, weights: Weights) -> float:
    """Return the worth of further activations of the seat's discs on the streets (C16)."""
    worth_of = weights.actions
    grid = state.grid
    worth = 0.0
    for stack, cells in zip(state.streets, ENDS, strict=True):
        if seat in stack:
            one, other = cells
            activation = worth_of[grid[one]] + worth_of[grid[other]]
            worth += activation * times_to_come(stack, seat, weights)
    return worth


def times_to_come(stack: Sequence[int], seat: int, weights: Weights) -> float:
    """Return the likely number of further activations of the seat's discs in a stack."""
    times = 0.0
    for disc, times_at_depth in zip(reversed(stack), weights.depths, strict=False):
        if disc == seat:
            times += times_at_depth

    if len(stack) == FULL_STACK and stack[0] == seat:
        times += weights.next_to_rise
    return times


# ---- the scorings to come ------------------------------------------------------------------------

# Every lead may still be lost, and more easily the later the scoring comes (`Losing`).


def time_left(state: State, player: Player) -> float:
    """Return the share (0-1) of the player's discs still to be placed."""
    seats = len(state.players)
    return (player.discs + player.whites) / (COLOURED_DISCS[seats] + WHITE_DISCS[seats])


class Majority(NamedTuple):
    """A scoring to come.

    places: points of the places. spread: ease of losing a lead, in cubes (`_risk`).
    tie: the cubes that a won tie adds to a lead, and a lost one takes off.
    """

    category: Category
    places: Sequence[int]
    spread: float
    tie: float


def prices(state: State, seat: int, losing: Losing) -> list[float]:
    """Return by Category the expected gain of the seat by one more cube, in points."""
    tie_breaks = rank_keys(state)
    worth = [0.0] * len(CATEGORIES)
    player = state.players[seat]
    for majority in tiles_ahead(state, losing) + final_cards_ahead(state, player, losing):
        category = majority.category
        counts = list(counted(state, category))
        before = share(majority, counts, tie_breaks, seat)

        counts[seat] += 1
        after = share(majority, counts, tie_breaks, seat)
        worth[category] += after - before
    return worth


def likely_points(state: State, losing: Losing) -> list[float]:
    """Return by seat the likely points from the scorings to come.

    Tiles are the same for all seats, so their cubes are counted once.
    """
    seats = range(len(state.players))
    tie_breaks = rank_keys(state)
    points = [0.0] * len(seats)

    for majority in tiles_ahead(state, losing):
        counts = counted(state, majority.category)
        for seat in seats:
            points[seat] += share(majority, counts, tie_breaks, seat)

    for seat, player in enumerate(state.players):
        for majority in final_cards_ahead(state, player, losing):
            counts = counted(state, majority.category)
            points[seat] += share(majority, counts, tie_breaks, seat)
    return points


def tiles_ahead(state: State, losing: Losing) -> list[Majority]:
    """Return the tiles still to be scored.

    With fuller stacks the scorings come sooner, so a lead is lost less easily.
    """
    free_places = sum(FULL_STACK - len(stack) for stack in state.streets)
    pace = free_places / len(STREETS)
    tiles_left = state.council[state.scored :]

    majorities = []
    for distance, tile in enumerate(tiles_left):
        ahead = distance + pace
        spread = losing.least_spread + losing.spread_a_tile * ahead
        majority = Majority(tile, PLACES, round(spread, 2), losing.tie)
        majorities.append(majority)
    return majorities


def final_cards_ahead(state: State, player: Player, losing: Losing) -> list[Majority]:
    """Return the final scoring cards that the player knows: the open one and their kept one."""
    spread = round(losing.least_spread + losing.spread_at_the_end * time_left(state, player), 2)
    known_cards = [card for card in (state.face_up, player.kept) if card is not None]
    return [Majority(card, FINAL_PLACES, spread, losing.tie) for card in known_cards]


def share(
    majority: Majority, counts: Sequence[int], tie_breaks: Sequence[tuple[int, ...]], seat: int
) -> float:
    """Return the expected points of a seat, by the likely number of others above it.

    counts: cubes by seat. tie_breaks: by seat, the least is the best (`rank_keys`).
    """
    own_count = counts[seat]
    if not own_count:
        return 0.0

    own_tie_break = tie_breaks[seat]
    above = 0.0
    for other, count in enumerate(counts):
        if count and other != seat:
            tie = majority.tie if tie_breaks[other] < own_tie_break else -majority.tie
            above += _risk(count - own_count + tie, majority.spread)

    return _between_places(above, majority.places)


@cache
def _risk(behind: float, spread: float) -> float:
    """Return the chance (0-1) that another seat ends above. behind: cubes it is ahead now."""
    return 1 / (1 + exp(-behind / spread))


def _between_places(above: float, places: Sequence[int]) -> float:
    """Return the points between two places. With 1.3 others above: 0.7 second, 0.3 third."""
    points = (*places, 0, 0, 0)
    place = int(above)
    return points[place] + (above - place) * (points[place + 1] - points[place])
