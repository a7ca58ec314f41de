"""A random legal move, for bots that play at random and for matches that are only imagined."""

from domain.chance import Chance
from domain.kit import one_of
from examples.ponte.commands import Command
from examples.ponte.moves import legal_moves
from examples.ponte.state import State


def random_move(state: State, seat: int, chance: Chance) -> Command:
    """Return a legal command of the seat or the house, which must be an actor."""
    return one_of(chance, legal_moves(state, seat))
