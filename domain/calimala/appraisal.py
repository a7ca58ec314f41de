"""What a position is worth to a seat, in points: a guess from what that seat may know.

The majorities are guessed as if every lead could still be lost, the more easily the later the scoring; goods, engines
and discs on the board count for what they usually bring, which fades as the discs run out. The numbers are round
guesses: halving or doubling single ones made no difference that forty matches could show.
"""

from collections.abc import Sequence
from functools import cache
from math import exp

from domain.calimala.components import (
    COLOURED_DISCS,
    FINAL_PLACES,
    PLACES,
    WHITE_DISCS,
    Category,
)
from domain.calimala.scoring import counted, rank_keys
from domain.calimala.state import Player, State

SHIPS = (0.0, 2.2, 3.6, 4.4)
HOUSES = (0.0, 1.6, 2.8, 3.6)
WORKSHOPS = (0.0, 0.0, 1.8, 3.0)
GOODS = ((0.0, 0.5, 0.95, 1.15, 1.25), (0.0, 0.5, 0.95, 1.15, 1.25), (0.0, 0.6, 1.1, 1.4, 1.6))
CLOTH = 0.3
CARD = 0.45
_WHITE_KEPT = 0.5
_SEAT = 0.35
_ACTIVATION = 0.45


def position(state: State, seat: int) -> float:
    """Return the points the seat has, is likely to score, and may make of what it owns."""
    player = state.players[seat]
    return player.points + _majorities(state, seat) + _belongings(state, player, seat)


def lead(state: State, seat: int) -> float:
    """Return the seat's position against the mean of the others'."""
    others = [position(state, other) for other in range(len(state.players)) if other != seat]
    return position(state, seat) - 0.5 * sum(others) / len(others)


# ---- majorities ------------------------------------------------------------------------------------------------------


def _majorities(state: State, seat: int) -> float:
    keys = rank_keys(state)
    return sum(
        _share(counted(state, card), keys, seat, spread, places)
        for card, spread, places in _ahead(state, seat)
    )


def _ahead(state: State, seat: int) -> list[tuple[Category, float, Sequence[int]]]:
    """Return the scorings to come that the seat knows of, each with how easily a lead is lost and its points."""
    player = state.players[seat]
    pace = sum(3 - len(stack) for stack in state.streets) / 12
    late = 0.35 + 1.6 * time_left(state, player)
    known = [card for card in (state.face_up, player.kept) if card is not None]
    tiles = [
        (tile, 0.35 + 0.12 * (ahead + pace), PLACES)
        for ahead, tile in enumerate(state.council[state.scored :])
    ]
    return [*tiles, *((card, late, FINAL_PLACES) for card in known)]


def prices(state: State, seat: int) -> list[float]:
    """Return what one more cube in each Category would bring the seat."""
    keys = rank_keys(state)
    result = [0.0] * len(Category)
    for card, spread, places in _ahead(state, seat):
        counts = list(counted(state, card))
        before = _share(counts, keys, seat, spread, places)
        counts[seat] += 1
        result[card] += _share(counts, keys, seat, spread, places) - before
    return result


def _share(
    counts: Sequence[int],
    keys: Sequence[tuple[int, ...]],
    seat: int,
    spread: float,
    places: Sequence[int],
) -> float:
    """Return the points a seat may expect: by how many others are likely to end above it."""
    own = counts[seat]
    if not own:
        return 0.0
    above = 0.0
    for other, count in enumerate(counts):
        if count and other != seat:
            above += _risk(
                count - own + (0.4 if keys[other] < keys[seat] else -0.4), round(spread, 2)
            )
    return _worth(above, (*places, 0, 0, 0))


@cache
def _risk(behind: float, spread: float) -> float:
    return 1 / (1 + exp(-behind / spread))


def _worth(above: float, places: Sequence[int]) -> float:
    first = int(above)
    return places[first] + (above - first) * (places[first + 1] - places[first])


# ---- belongings ------------------------------------------------------------------------------------------------------


def time_left(state: State, player: Player) -> float:
    """Return the share of the player's discs that he has still to place."""
    seats = len(state.players)
    return (player.discs + player.whites) / (COLOURED_DISCS[seats] + WHITE_DISCS[seats])


def _belongings(state: State, player: Player, seat: int) -> float:
    time = time_left(state, player)
    engines = SHIPS[player.ships] + HOUSES[sum(player.houses)] + WORKSHOPS[len(player.cloth)]
    goods = sum(values[cubes] for values, cubes in zip(GOODS, player.stock, strict=True))
    goods += CLOTH * sum(player.cloth) + CARD * sum(player.hand)
    return (
        engines * time
        + goods * min(1.0, 0.1 + 2.5 * time)
        + _WHITE_KEPT * player.whites * time
        + _SEAT * state.council_seats.count(seat) * (1 - state.scored / 15)
        + _ACTIVATION * time * _activations_to_come(state, seat)
    )


def _activations_to_come(state: State, seat: int) -> float:
    """Return how often the seat's discs on the streets may still be activated; the next to rise counts extra (C16)."""
    result = 0.0
    for stack in state.streets:
        for depth, disc in enumerate(reversed(stack)):
            if disc == seat:
                result += max(0, 2 - depth)
        if len(stack) == 3 and stack[0] == seat:
            result += 0.5
    return result
