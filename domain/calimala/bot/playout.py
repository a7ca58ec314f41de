"""A random legal move, for bots that play at random and for matches that are only imagined."""

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

    Each is as likely as the others, but for a disc: it goes rather on a street that serves (C15).
    """
    top = state.agenda[-1]
    if type(top) is Turn:
        # Most streets serve, and to ask about all twelve takes long: only if the first one fails.
        player = state.players[seat]
        street = chance.below(len(STREETS))
        if serves(state, player, street):
            disc = one_of(chance, discs_left(player))
            return PREPARED[seat].place_disc[street][disc]

    moves = legal_moves(state, seat)
    return one_of(chance, moves)
