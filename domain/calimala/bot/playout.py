"""A random legal move, for random bots."""

from domain.calimala.actions import PREPARED
from domain.calimala.agenda import Turn
from domain.calimala.commands import Command
from domain.calimala.components import STREETS
from domain.calimala.duty import serves
from domain.calimala.moves import legal_moves
from domain.calimala.state import State, discs_left
from domain.chance import Chance
from domain.kit import one_of


def random_move(state: State, seat: int, chance: Chance) -> Command:
    """Return a random legal command of an actor: a seat or the house.

    All commands are equally likely, except placements: these prefer streets that serve (C15).
    """
    top = state.agenda[-1]
    if type(top) is Turn:
        # A check of all twelve streets takes long, so first try a random one.
        player = state.players[seat]
        street = chance.below(len(STREETS))
        if serves(state, player, street):
            disc = one_of(chance, discs_left(player))
            return PREPARED[seat].place_disc[street][disc]

    moves = legal_moves(state, seat)
    return one_of(chance, moves)
