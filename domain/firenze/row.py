"""The row: its slots, and its refill after a card was taken (F16, F17)."""

from domain.chance import pick
from domain.errors import RuleBroken
from domain.firenze.cards import CARDS, Card
from domain.firenze.components import BRICKS_PER_SLOT
from domain.firenze.events import CardSpent, DeckShuffled, RowRefilled, RowShortened
from domain.firenze.pouch import draw_bricks
from domain.firenze.state import State
from domain.game import Draft


def no_such_slot(state: State, slot: int, rule: str) -> RuleBroken:
    """Return the refusal, by that rule, of a slot that the row does not have."""
    last = len(state.row) - 1
    detail = f"There is no slot {slot}; you may name slots 0 to {last}."
    return RuleBroken("no_such_slot", rule, detail)


def spend_card(draft: Draft[State], seat: int, card: Card) -> None:
    """Discard the card that has taken effect, and refill the row (F15, F16)."""
    draft.emit(CardSpent(seat, card))
    refill(draft)


def refill(draft: Draft[State]) -> None:
    """Refill the last slot; an empty deck is made of the shuffled discards first (F16, F17)."""
    state = draft.state
    pile = state.start if any(state.start) else state.deck
    if not any(pile):
        if not any(state.discards):
            draft.emit(RowShortened())
            return
        draft.emit(DeckShuffled())

    card = CARDS[pick(draft.chance, pile)]
    pouch = state.pouch[:]
    bricks = draw_bricks(pouch, BRICKS_PER_SLOT, draft.chance)
    draft.emit(RowRefilled(card, bricks))
