"""What the creator of a match may choose."""

from domain.firenze import board
from domain.firenze.board import Board, check
from domain.options import Choice, Data, Flag, Number

OPTIONS = (
    Data(
        name="board",
        default=board.DEFAULT,
        text="the printed values of the board (F4)",
        check=check,
        form=Board,
    ),
    Flag(
        name="campanile",
        default=True,
        text="whether the Campanile is in the deck (F13)",
    ),
    Choice(
        name="patrician",
        default="cancels",
        text="what a Patrician does to an event for all (F31)",
        choices=("cancels", "spares"),
    ),
    Choice(
        name="discards",
        default="automatic",
        text="who chooses what Flood and taxes take (F34)",
        choices=("automatic", "chosen"),
    ),
    Number(
        name="turn_limit",
        default=60,
        text="turns a player after which the match ends (F45)",
        least=10,
        most=500,
    ),
)
