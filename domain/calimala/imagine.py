"""The state with all that is hidden from a seat drawn anew (C43)."""

from domain.calimala.components import ACTIONS, FINAL_CARDS, Category
from domain.calimala.state import Player, State, kept_cards
from domain.chance import Chance, shuffled


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
    """Deal the other hands anew, each of the same size, from the cards that the seat cannot see.

    A card that was drafted openly stays where everybody knows it to be (C13).
    """
    others = _others(state, seat)
    hands = [player.hand for player in others]
    unseen = list(map(sum, zip(state.deck, *hands, strict=True)))

    for player in others:
        if player.drafted is not None:
            unseen[player.drafted] -= 1

    pile = _one_by_one(unseen)
    for player, hand in zip(others, hands, strict=True):
        player.hand = _known_cards(player)
        for _ in range(sum(hand) - sum(player.hand)):
            place = chance.below(len(pile))
            card = pile.pop(place)
            unseen[card] -= 1
            player.hand[card] += 1
    state.deck = unseen


def _known_cards(player: Player) -> list[int]:
    """Return the cards of another hand that everybody knows, by Action."""
    known = [0] * len(ACTIONS)
    if player.drafted is not None:
        known[player.drafted] = 1
    return known


def _one_by_one(counts: list[int]) -> list[int]:
    """Return each of the cards by its Action; a draw from this list is quick."""
    cards = []
    for action, count in enumerate(counts):
        cards += [action] * count
    return cards


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


def _dealt(pile: list[Category], size: int, revealed_card: Category | None) -> tuple[Category, ...]:
    """Return so many cards from the top of the pile, which loses them.

    A revealed card is the first of them, and does not come from the pile.
    """
    dealt = [] if revealed_card is None else [revealed_card]
    while len(dealt) < size:
        dealt.append(pile.pop())
    return tuple(dealt)
