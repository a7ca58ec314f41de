"""The state with all that is hidden from a seat drawn anew: here nothing is (F44)."""

from domain.chance import Chance
from domain.firenze.state import State


def imagine(state: State, _seat: int, _chance: Chance) -> State:
    """Return a copy: only future draws are hidden, and these are not in the state (F44)."""
    return state.copy()
