"""What a seat of the toy game sees, and what bots make of it."""

from typing import Annotated, NotRequired, TypedDict

from domain.chance import Chance
from domain.game import Message
from tests.toy.messages import Keep, Swap
from tests.toy.play import CARDS, legal_moves
from tests.toy.table import Table


class View(TypedDict):
    """The toy as a seat, or the public, sees it."""

    rounds: Annotated[int, "How many rounds are left."]
    points: Annotated[list[int], "The points of each seat."]
    turn: Annotated[int, "The seat to act; -1: the house."]
    heads: Annotated[bool, "How the last coin fell."]
    card: NotRequired[Annotated[int | None, "The seat's own card; left out while it has none."]]


def view(state: Table, seat: int | None) -> View:
    shown: View = {
        "rounds": state.rounds,
        "points": list(state.points),
        "turn": state.turn,
        "heads": state.heads,
    }
    if seat is not None and seat < len(state.cards):
        shown["card"] = state.cards[seat]
    return shown


def imagine(state: Table, seat: int, chance: Chance) -> Table:
    imagined = state.copy()
    for other in range(len(imagined.cards)):
        if other != seat:
            imagined.cards[other] = chance.below(CARDS)
    return imagined


def random_move(state: Table, seat: int, chance: Chance) -> Message:
    moves = legal_moves(state, seat)
    return moves[chance.below(len(moves))]


def advise(state: Table, seat: int, _chance: Chance) -> Message:
    """Swap a low card, and note it."""
    card = state.cards[seat]
    low = (card or 0) * 2 < CARDS
    return Swap(seat, f"I held {card}") if low else Keep(seat)
