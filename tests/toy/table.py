"""The state of the toy game, and what its events change."""

from dataclasses import dataclass, field

from domain.game import HOUSE, Message, Setup
from tests.toy.messages import CardDealt, CardKept, CardShown, CoinTossed, RoundPaid


@dataclass(slots=True)
class Table:
    """The state.

    rounds: how many are left.   points, cards: of each seat; a card is None where it is not known.
    turn: the seat to act, HOUSE when all have acted.   heads: how the last coin fell.
    """

    rounds: int
    points: list[int]
    cards: list[int | None] = field(default_factory=list)
    turn: int = HOUSE
    heads: bool = False

    def copy(self) -> "Table":
        """Return an independent copy."""
        return Table(
            rounds=self.rounds,
            points=self.points.copy(),
            cards=self.cards.copy(),
            turn=self.turn,
            heads=self.heads,
        )

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.points)


def initial(setup: Setup) -> Table:
    return Table(rounds=setup.options["rounds"], points=[0] * setup.seats)


def evolve(state: Table, event: Message) -> None:
    match event:
        case CardDealt() | CardShown():
            _on_dealt(state, event)
        case CardKept():
            _pass_on(state)
        case CoinTossed(heads):
            state.heads = bool(heads)
        case RoundPaid(_, points):
            _on_paid(state, points)


def _on_dealt(state: Table, event: CardDealt | CardShown) -> None:
    if _dealing(state):
        state.cards.append(event.card)
    else:
        state.cards[event.seat] = event.card
    _pass_on(state)


def _on_paid(state: Table, points: tuple[int, ...]) -> None:
    state.points = [old + new for old, new in zip(state.points, points, strict=True)]
    state.cards = []
    state.turn = HOUSE
    state.rounds -= 1


def _dealing(state: Table) -> bool:
    """Whether some seat has no card yet."""
    return len(state.cards) < state.seats


def _pass_on(state: Table) -> None:
    """Let the next seat act: the first after the last was dealt a card, the house after all."""
    if _dealing(state):
        return
    last = state.seats - 1
    state.turn = HOUSE if state.turn == last else state.turn + 1
