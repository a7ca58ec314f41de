"""The greedy bot."""

from domain.chance import Chance
from domain.firenze.moves import Move
from domain.firenze.random_moves import random_move
from domain.firenze.state import State


def advise(state: State, seat: int, chance: Chance) -> Move:
    """Return a good move."""
    return random_move(state, seat, chance)
