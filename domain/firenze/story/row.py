"""The row, told in English: cards that leave it, where they go, its refill, exchanges."""

from collections.abc import Sequence

from domain.firenze.agenda import Step
from domain.firenze.cards import BUILDING, KIND_OF, MONUMENT, PATRICIAN, PRIVILEGES, Card
from domain.firenze.components import BRICKS_PER_SLOT, EXCHANGE_PRICE, Bricks
from domain.firenze.dues import FOR_ALL
from domain.firenze.events import (
    BricksExchanged,
    CardKept,
    CardSpent,
    CardTaken,
    ChurchOpened,
    DeckShuffled,
    RowRefilled,
    RowShortened,
)
from domain.firenze.state import State
from domain.firenze.story.event_cards import why_idle
from domain.firenze.story.words import (
    Teller,
    bricks_in_words,
    card_name,
    levels,
    slot_name,
    the_card,
)
from domain.kit.wording import listed, upper_first
from domain.story import Sentence

# ---- a card is taken -------------------------------------------------------------------------


def _card_taken(state: State, event: CardTaken, names: Sequence[str]) -> Sentence:
    card = _card_of_row(state, event.slot)
    taken = f"{names[event.seat]} takes {card} with {bricks_in_words(event.bricks)}"
    if event.payment:
        payment = _payment(state, event.payment)
        return Sentence(f"{taken}, paying {payment}.", ("F14",))

    if event.slot:
        return Sentence(f"{taken}, for nothing, thanks to the Princess.", ("F14", "F29"))
    return Sentence(f"{taken}; the first card costs nothing.", ("F14",))


def _card_of_row(state: State, slot: int) -> str:
    """Return the card that leaves a slot: "the Mason", or "the second Mason in the row"."""
    card = state.row[slot].card
    name = slot_name(state, slot)
    return the_card(card) if name == card_name(card) else f"{name} in the row"


def _payment(state: State, payment: Bricks) -> str:
    """Return the bricks paid and the cards that they go onto, the first onto slot 0 (F14)."""
    cards = [slot_name(state, slot) for slot in range(len(payment))]
    paid = [f"1 {colour.wire} onto {card}" for colour, card in zip(payment, cards, strict=True)]
    return listed(paid)


# ---- where it goes ---------------------------------------------------------------------------


def _card_kept(state: State, event: CardKept, names: Sequence[str]) -> Sentence:
    name = names[event.seat]
    if event.card is MONUMENT:
        height = levels(state.players[event.seat].tallest)
        text = f"The Monument honours the tallest tower: {name}, with {height}, gets it in hand."
        return Sentence(text, ("F36",))

    card = the_card(event.card)
    if KIND_OF[event.card] is BUILDING:
        return Sentence(f"{name} opens {card}.")
    return Sentence(f"{name} takes {card} into the hand.")


def _church_opened(_state: State, event: ChurchOpened, _names: Sequence[str]) -> Sentence:
    opened = f"{upper_first(the_card(event.card))} lies open at the church"
    if event.card is Card.CAMPANILE:
        text = f"{opened}: everybody owes it a tower of 3 white bricks before any other commission."
        return Sentence(text, ("F38",))

    [(height, points)] = [
        (height, points) for height, (card, points) in PRIVILEGES.items() if card is event.card
    ]
    text = f"{opened}: the next commission of {levels(height)} brings {points} points more."
    return Sentence(text, ("F37",))


def _card_spent(state: State, event: CardSpent, names: Sequence[str]) -> Sentence:
    card = upper_first(the_card(event.card))
    name = names[event.seat]
    if event.card is MONUMENT:
        text = f"The Monument is discarded, because {_why_no_tallest(state, names)}."
        return Sentence(text, ("F36",))
    if KIND_OF[event.card] is BUILDING:
        text = f"{name} has {card_name(event.card)} already: this one is discarded."
        return Sentence(text, ("F15",))

    if _has_struck(state) or _is_cancelled(state, event.card):
        return Sentence(f"{card} is discarded.", ("F15",))
    return _discarded_idle(state, event, name)


def _why_no_tallest(state: State, names: Sequence[str]) -> str:
    """Return why nobody has the tallest tower: a tie, perhaps of no towers at all (F36)."""
    heights = [player.tallest for player in state.players]
    tallest = max(heights)
    if not tallest:
        return "nobody has a tower"

    tied = [name for name, height in zip(names, heights, strict=True) if height == tallest]
    return f"{listed(tied)} are tied with towers of {levels(tallest)}"


def _has_struck(state: State) -> bool:
    """Return whether the taken event has asked its taker what is lost, or laid dues (F32, F33)."""
    return state.agenda[-1].step is not Step.CHOOSE or bool(state.dues)


def _is_cancelled(state: State, event_card: Card) -> bool:
    """Return whether a Patrician cancels the taken event, and not only spares its taker (F31)."""
    spares = state.patrician_spares and event_card in FOR_ALL
    return state.at_work is PATRICIAN and not spares


def _discarded_idle(state: State, event: CardSpent, name: str) -> Sentence:
    """Tell of an event that took nothing from anybody, and why (F32, F33)."""
    card = upper_first(the_card(event.card))
    spared = state.at_work is PATRICIAN
    reason = why_idle(state, event.seat, event.card, name, spared=spared)
    if not reason:
        return Sentence(f"{card} is discarded.", ("F15",))

    rule = "F33" if event.card in FOR_ALL else "F32"
    return Sentence(f"{card} is discarded, because {reason}.", (rule,))


# ---- the refill ------------------------------------------------------------------------------


def _deck_shuffled(state: State, _event: DeckShuffled, _names: Sequence[str]) -> Sentence:
    if state.at_work is Card.RENAISSANCE:
        text = "Deck and discards, the Renaissance among them, are shuffled into a new deck."
        return Sentence(text, ("F35",))
    text = "The deck is used up: the discards, shuffled, become the new one."
    return Sentence(text, ("F17",))


def _row_refilled(state: State, event: RowRefilled, _names: Sequence[str]) -> Sentence:
    if event.card is None or event.bricks is None:
        text = "The row closes up, and a card with bricks is drawn for its end."
        return Sentence(text, ("F16",))

    bricks = bricks_in_words(event.bricks)
    is_short = len(event.bricks) < BRICKS_PER_SLOT
    rest = ", all that was left in the pouch" if is_short else ""
    card = card_name(event.card)
    text = f"The row closes up, and {card} is drawn for its end with {bricks}{rest}."
    return Sentence(text, ("F16",))


def _row_shortened(state: State, _event: RowShortened, _names: Sequence[str]) -> Sentence:
    left = len(state.row)
    return Sentence(f"No card is left to draw: the row has only {left} now.", ("F17",))


def _bricks_exchanged(state: State, event: BricksExchanged, names: Sequence[str]) -> Sentence:
    card = slot_name(state, event.slot)
    taken = bricks_in_words((event.take,))
    given = bricks_in_words(event.give)
    bridge = " over the Bridge" if len(event.give) < EXCHANGE_PRICE else ""
    text = f"{names[event.seat]} exchanges {given} for {taken} with {card} in the row{bridge}."
    return Sentence(text, ("F18",))


TELLERS: dict[type, Teller] = {
    CardTaken: _card_taken,
    CardKept: _card_kept,
    ChurchOpened: _church_opened,
    CardSpent: _card_spent,
    DeckShuffled: _deck_shuffled,
    RowRefilled: _row_refilled,
    RowShortened: _row_shortened,
    BricksExchanged: _bricks_exchanged,
}
