"""The greedy player."""

from typing import Any

from domain.calimala.moves import random_move
from domain.calimala.state import State
from domain.chance import Chance


def advise(state: State, seat: int, chance: Chance) -> Any:
    """Return a move."""
    return random_move(state, seat, chance)
