"""The greedy bot: gain points now, and leave little to the next player."""

from domain.chance import Chance
from examples.ponte.bot.valuation import offered
from examples.ponte.commands import Begin, Command, Lay
from examples.ponte.imagine import unseen_by
from examples.ponte.moves import legal_moves
from examples.ponte.scoring import points_for
from examples.ponte.state import State


def advise(state: State, seat: int, _chance: Chance) -> Command:
    """Return the move that gains the most, less what it offers to the next player (P7).

    The seat may be the house's, which has no choice.
    """
    moves = legal_moves(state, seat)
    ends = [row[-1] for row in state.rows if row]
    unseen = unseen_by(state, seat)

    def worth(move: Command) -> float:
        if isinstance(move, Begin):
            return 0.0
        return _worth_of(move, ends, unseen)

    return max(moves, key=worth)


def _worth_of(move: Lay, ends: list[int], unseen: list[int]) -> float:
    """Return what a stone brings, less what it offers on the average."""
    gained = points_for(move.stone, ends[move.bank])

    ends_after = ends[:]
    ends_after[move.bank] = move.stone
    return gained - offered(ends_after, unseen)
