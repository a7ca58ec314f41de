"""The deck of action cards (C22)."""

from domain.calimala.components import ACTIONS, Action
from domain.calimala.events import DeckRenewed
from domain.calimala.state import State
from domain.chance import pick
from domain.game import Draft


def draw_card(draft: Draft[State]) -> Action | None:
    """Return a random card of the deck, which still holds it; None without any card (C22).

    The discards come back first if the deck is empty.
    """
    renew_deck(draft)
    deck = draft.state.deck
    if not any(deck):
        return None
    return ACTIONS[pick(draft.chance, deck)]


def renew_deck(draft: Draft[State]) -> None:
    """Make the discards the deck when its last card has been drawn (C22)."""
    if not any(draft.state.deck) and any(draft.state.discards):
        draft.emit(DeckRenewed())
