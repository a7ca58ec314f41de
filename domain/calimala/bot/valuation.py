"""What a position is worth to a seat, in points: a guess from what that seat may know.

The scorings to come count for what they are likely to bring (`domain.calimala.bot.scorings`).
Goods, engines and discs on the board count for what they usually bring, which fades as the discs
run out. How much of each, the weights say (`domain.calimala.bot.weights`).
"""

from collections.abc import Sequence

from domain.calimala.bot.scorings import likely_points, time_left
from domain.calimala.bot.weights import Fading, Weights
from domain.calimala.components import ENDS, FULL_STACK, TILES
from domain.calimala.state import Player, State, seats_held


def lead(state: State, seat: int, weights: Weights) -> float:
    """Return the seat's position against the mean of the others'."""
    worth = positions(state, weights)
    own_worth = worth.pop(seat)
    return own_worth - weights.others * sum(worth) / len(worth)


def positions(state: State, weights: Weights) -> list[float]:
    """Return by seat the points it has, is likely to score, and may make of what it owns."""
    to_score = likely_points(state, weights.losing)
    return [
        player.points + to_score[seat] + _belongings(state, player, seat, weights)
        for seat, player in enumerate(state.players)
    ]


def usefulness(time: float, fading: Fading) -> float:
    """Return how much of their worth goods and cards still have with so much time left (0-1)."""
    return min(1.0, fading.goods_at_the_end + fading.goods_with_time * time)


def _belongings(state: State, player: Player, seat: int, weights: Weights) -> float:
    """Return what the seat may still make of what it owns."""
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
    """Return the share (0-1) of its worth that something still has with so much time left."""
    share: float = time**power
    return share


def _engines(player: Player, weights: Weights) -> float:
    """Return what ships, trade houses and workshops are worth with all the time left."""
    ships = weights.ships[player.ships]
    houses = weights.houses[sum(player.houses)]
    workshops = weights.workshops[len(player.cloth)]
    return ships + houses + workshops


def _goods(player: Player, weights: Weights) -> float:
    """Return what the cubes in warehouses and workshops and the cards are worth."""
    heaps = zip(weights.goods, player.stock, strict=True)
    in_warehouses = sum(values[cubes] for values, cubes in heaps)
    cloth = weights.cloth * sum(player.cloth)
    cards = weights.card * sum(player.hand)
    return in_warehouses + (cloth + cards)


def _activations_to_come(state: State, seat: int, weights: Weights) -> float:
    """Return what the seat's discs on the streets may still bring by being activated (C16)."""
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
    """Return how often the seat's discs in a stack are likely to be activated again."""
    times = 0.0
    for disc, times_at_depth in zip(reversed(stack), weights.depths, strict=False):
        if disc == seat:
            times += times_at_depth

    if len(stack) == FULL_STACK and stack[0] == seat:
        times += weights.next_to_rise
    return times
