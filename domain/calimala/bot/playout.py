"""A random legal move, for random bots and for imagined matches."""

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
    """Return a legal command of the seat or the house, which must be an actor.

    Each is as likely as the others, but a disc goes rather on a street that serves (C15).
    """
    top = state.agenda[-1]
    if type(top) is Turn:
        # Most streets serve, and a check of all twelve takes long. So it is made only if the first
        # street does not serve.
        player = state.players[seat]
        street = chance.below(len(STREETS))
        if serves(state, player, street):
            disc = one_of(chance, discs_left(player))
            return PREPARED[seat].place_disc[street][disc]

    moves = legal_moves(state, seat)
    return one_of(chance, moves)
