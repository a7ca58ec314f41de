"""The rules of the toy game: who may do what, what it causes, and how it ends."""

from domain.chance import pick
from domain.errors import RuleBroken
from domain.game import HOUSE, Draft, Message, Outcome
from tests.toy.messages import (
    CardDealt,
    CardKept,
    CardShown,
    CoinTossed,
    Deal,
    Dealt,
    Keep,
    RoundPaid,
    Settle,
    Swap,
)
from tests.toy.table import Table

CARDS = 6


def play(draft: Draft[Table], command: Message) -> None:
    _play_dealing(draft, command, CardDealt)


def play_openly(draft: Draft[Table], command: Message) -> None:
    _play_dealing(draft, command, CardShown)


def _play_dealing(draft: Draft[Table], command: Message, dealt: Dealt) -> None:
    """Play a command; `dealt` is the event by which a seat gets a card."""
    awaited = draft.state.turn
    match command:
        case Deal():
            _deal(draft, dealt)
        case Settle() if awaited == HOUSE:
            _settle(draft, dealt)
        case Keep(seat) if awaited == seat:
            draft.emit(CardKept(seat))
        case Swap(seat) if awaited == seat:
            draft.emit(dealt(seat, draft.chance.below(CARDS)))
        case _:
            raise RuleBroken("not_your_turn", "T2", "Another seat is to act.")


def _deal(draft: Draft[Table], dealt: Dealt) -> None:
    """Deal every seat a card (T1)."""
    for seat in range(draft.state.seats):
        draft.emit(dealt(seat, pick(draft.chance, [2] * CARDS)))


def _settle(draft: Draft[Table], dealt: Dealt) -> None:
    """Toss the coin, pay, and deal again while rounds are left (T3)."""
    state = draft.state
    draft.emit(CoinTossed(draft.chance.below(2) == 1))

    factor = 2 if state.heads else 1
    cards = tuple(card or 0 for card in state.cards)
    points = tuple(card * factor for card in cards)
    draft.emit(RoundPaid(cards=cards, points=points))

    if state.rounds:
        _deal(draft, dealt)


def actors(state: Table) -> tuple[int, ...]:
    return (state.turn,) if state.rounds else ()


def legal_moves(state: Table, seat: int) -> list[Message]:
    if seat not in actors(state):
        return []
    return [Settle()] if seat == HOUSE else [Keep(seat), Swap(seat)]


def outcome(state: Table) -> Outcome | None:
    if state.rounds:
        return None
    ranks = [1 + sum(other > points for other in state.points) for points in state.points]
    return Outcome(points=tuple(state.points), ranks=tuple(ranks))
