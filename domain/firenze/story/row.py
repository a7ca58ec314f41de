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
from domain.firenze.state import State, free_bricks
from domain.firenze.story.words import Teller, bricks_in_words, card_name, levels, the_card
from domain.kit.wording import listed, upper_first
from domain.story import Sentence

# ---- a card is taken -------------------------------------------------------------------------


def _card_taken(state: State, event: CardTaken, names: Sequence[str]) -> Sentence:
    taken = f"{names[event.seat]} takes {the_card(event.card)} with {bricks_in_words(event.bricks)}"
    if event.payment:
        payment = _payment(state, event.payment)
        return Sentence(f"{taken}, paying {payment}.", ("F14",))

    if event.slot:
        return Sentence(f"{taken}, for nothing, thanks to the Princess.", ("F14", "F29"))
    return Sentence(f"{taken}; the first card costs nothing.", ("F14",))


def _payment(state: State, payment: Bricks) -> str:
    """Return the bricks paid and the cards that they go onto, the first onto slot 0 (F14)."""
    cards = [card_name(state.row[slot].card) for slot in range(len(payment))]
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
        text = f"{opened}: everybody owes it a tower of 3 white bricks before anything else."
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

    reason = _why_harmless(state, event, name)
    if reason is None:
        return Sentence(f"{card} is discarded.", ("F15",))
    text, rule = reason
    return Sentence(f"{card} {text}.", (rule,))


def _why_no_tallest(state: State, names: Sequence[str]) -> str:
    """Return why nobody has the tallest tower: a tie, perhaps of no towers at all (F36)."""
    heights = [player.tallest for player in state.players]
    tallest = max(heights)
    if not tallest:
        return "nobody has a tower"

    tied = [name for name, height in zip(names, heights, strict=True) if height == tallest]
    return f"{listed(tied)} are tied with towers of {levels(tallest)}"


def _why_harmless(state: State, event: CardSpent, name: str) -> tuple[str, str] | None:
    """Return why an event takes nothing, with its rule; None where it did, or was cancelled.

    Whoever played a Patrician this turn may have cancelled it: then nothing is said of it.
    """
    was_asked = state.agenda[-1].step is not Step.CHOOSE
    if was_asked or state.dues or PATRICIAN in state.played:
        return None
    if event.card in FOR_ALL:
        return "touches nobody and is discarded", "F33"

    if event.card is Card.STOREHOUSE_FIRE and not any(free_bricks(state, event.seat)):
        return f"finds no bricks to burn at {name}'s and is discarded", "F32"
    if event.card in (Card.BOTCH, Card.COLLAPSE) and not state.players[event.seat].towers:
        return f"finds no tower of {name}'s and is discarded", "F32"
    return None


# ---- the refill ------------------------------------------------------------------------------


def _deck_shuffled(state: State, _event: DeckShuffled, _names: Sequence[str]) -> Sentence:
    is_empty = not any(state.deck) and not any(state.start)
    if is_empty:
        text = "The deck is used up: the discards, shuffled, become the new one."
        return Sentence(text, ("F17",))
    text = "The discards, the Renaissance among them, are shuffled into the deck."
    return Sentence(text, ("F35",))


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
    card = card_name(state.row[event.slot].card)
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
