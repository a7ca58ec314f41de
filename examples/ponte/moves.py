"""What could I do: who may act, and every legal command."""

from domain.game import HOUSE
from examples.ponte.agenda import Turn
from examples.ponte.commands import Begin, Command, Lay
from examples.ponte.components import BANKS
from examples.ponte.state import State, stones_in


def actors(state: State) -> tuple[int, ...]:
    """Return the seats that may act now.

    (HOUSE,) while the house must, () when the match is over.
    """
    if not state.agenda:
        return ()
    top = state.agenda[-1]
    return (top.seat,) if isinstance(top, Turn) else (HOUSE,)


def legal_moves(state: State, seat: int) -> list[Command]:
    """Return every legal command of the seat or the house."""
    if seat not in actors(state):
        return []
    if seat == HOUSE:
        return [Begin()]

    stones = stones_in(state.players[seat].hand)
    return [Lay(seat, stone, bank) for stone in stones for bank in BANKS]
