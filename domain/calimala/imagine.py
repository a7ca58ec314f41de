"""The state with all that is hidden from a seat drawn anew (C43)."""

from domain.calimala.components import FINAL_CARDS, Category
from domain.calimala.state import Player, State, kept_cards
from domain.chance import Chance, shuffled
from domain.kit.drawing import take_from


def imagine(state: State, seat: int, chance: Chance) -> State:
    """Return a copy in which all that the seat cannot see is drawn anew.

    These are the other hands, the deck and the unseen scoring cards.
    """
    copy = state.copy()
    _redraw_hands(copy, seat, chance)
    if any(player.dealt for player in copy.players):
        _redeal_scoring_cards(copy, seat, chance)
    return copy


def _others(state: State, seat: int) -> list[Player]:
    return [player for other, player in enumerate(state.players) if other != seat]


def _redraw_hands(state: State, seat: int, chance: Chance) -> None:
    """Deal the other hands anew, each of the same size, from the cards that the seat cannot see."""
    others = _others(state, seat)
    unseen = state.deck
    for player in others:
        unseen = _together(unseen, player.hand)

    for player in others:
        player.hand = _hand(unseen, sum(player.hand), chance)
    state.deck = unseen


def _together(cards: list[int], more: list[int]) -> list[int]:
    return [one + other for one, other in zip(cards, more, strict=True)]


def _hand(unseen: list[int], size: int, chance: Chance) -> list[int]:
    """Return a hand of random cards, taken out of those that are unseen."""
    hand = [0] * len(unseen)
    for _ in range(size):
        card = take_from(chance, unseen)
        hand[card] += 1
    return hand


def _redeal_scoring_cards(state: State, seat: int, chance: Chance) -> None:
    """Deal the other scoring cards anew from those that the seat cannot see.

    Once revealed, the kept ones are known; the other dealt ones never are.
    """
    own_cards = state.players[seat].dealt
    known_cards = {state.face_up, *own_cards}
    if state.revealed:
        known_cards.update(kept_cards(state))

    unseen_cards = [card for card in FINAL_CARDS if card not in known_cards]
    pile = shuffled(chance, unseen_cards)

    for player in _others(state, seat):
        revealed_card = player.kept if state.revealed else None
        player.dealt = _dealt(pile, len(player.dealt), revealed_card)
        if player.kept is not None:
            player.kept = player.dealt[0]


def _dealt(pile: list[Category], size: int, revealed_card: Category | None) -> list[Category]:
    """Return so many cards from the top of the pile, which loses them.

    A revealed card is the first of them, and does not come from the pile.
    """
    dealt = [] if revealed_card is None else [revealed_card]
    while len(dealt) < size:
        dealt.append(pile.pop())
    return dealt
