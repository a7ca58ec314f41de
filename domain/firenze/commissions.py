"""Commissions: which are open, whose seals they carry, and what they bring (F21-F23, F37, F38)."""

from domain.firenze.cards import CAMPANILE, PRIVILEGES
from domain.firenze.components import (
    FIRST_LEVEL,
    HEIGHTS,
    HIGHEST,
    LOWEST,
    OPEN,
    Colour,
    commission_index,
)
from domain.firenze.state import State


def is_open(state: State, colour: int, height: int) -> bool:
    """Return whether a commission can be fulfilled (F21, F22).

    It carries no seal, and no balcony whose turn has not come.
    """
    if not LOWEST <= height <= HIGHEST:
        return False
    return lowest_open(state, colour, height, height) == height


def lowest_open(state: State, colour: int, least: int, most: int = HIGHEST) -> int:
    """Return the lowest height from `least` to `most` whose commission is open, or 0 (F21, F22).

    One loop over indices, and not a call a height: playouts ask for every tower and every colour.
    """
    seals = state.seals
    balconies = state.balconies
    index = commission_index(colour, least)

    for height in range(least, most + 1):
        if seals[index] == OPEN and (
            index not in balconies or index == balconies[state.next_balcony]
        ):
            return height
        index += 1
    return 0


def open_heights(state: State, colour: int) -> list[int]:
    """Return the heights of the open commissions of a colour, lowest first (F21, F22)."""
    return [height for height in HEIGHTS if is_open(state, colour, height)]


def waits_for_its_turn(state: State, colour: Colour, height: int) -> bool:
    """Return whether a commission is closed only by the order of the balconies (F22).

    Once it carries a seal it is closed by F21, as any other commission is.
    """
    if height not in HEIGHTS:
        return False

    index = commission_index(colour, height)
    return index in state.balconies and state.seals[index] == OPEN


def sealed_by(state: State, seat: int) -> list[int]:
    """Return the commissions that carry the seat's seals."""
    return [commission for commission, owner in enumerate(state.seals) if owner == seat]


def owes_bell_tower(state: State, seat: int) -> bool:
    """Return whether the Campanile is open and the seat has not delivered to it (F38).

    Until it has, it may fulfil nothing else.
    """
    return CAMPANILE in state.church and not state.players[seat].bell_tower


def level_points(state: State, height: int) -> int:
    """Return the points of the level tile of this height; 0 for none, or when it is taken (F23)."""
    if height < FIRST_LEVEL:
        return 0

    level = height - FIRST_LEVEL
    if state.levels[level] >= 0:
        return 0
    return state.board.levels[level]


def privilege_points(state: State, height: int) -> int:
    """Return the points that an open church card adds to this height, or 0 (F37)."""
    card, points = PRIVILEGES.get(height, (None, 0))
    return points if card in state.church else 0
