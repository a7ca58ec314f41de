"""The row: its slots, and its refill after a card was taken (F16, F17)."""

from domain.chance import Chance, pick
from domain.errors import RuleBroken
from domain.firenze.components import BRICKS_PER_SLOT, CARDS, COLOURS, Bricks, Card, Colour
from domain.firenze.events import CardSpent, DeckShuffled, RowRefilled, RowShortened
from domain.firenze.state import State
from domain.game import Draft

# §§§ domain.firenze.row
# Bricks drawn out of the pouch (F13, F16, F29).


def draw_bricks(pouch: list[int], count: int, chance: Chance) -> Bricks:
    """Return bricks drawn out of this pouch, which changes; a short one gives what it has (F16).

    The colour is looked for in place, without a call a brick: every turn draws four bricks.
    """
    drawn: list[Colour] = []
    left = sum(pouch)

    for _ in range(min(count, left)):
        number = chance.below(left)
        left -= 1
        for index, count_left in enumerate(pouch):
            if number < count_left:
                pouch[index] -= 1
                drawn.append(COLOURS[index])
                break
            number -= count_left
    return tuple(drawn)


# §§§ domain.firenze.row


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
