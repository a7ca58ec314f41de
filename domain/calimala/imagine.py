"""The state with all that is hidden from a seat drawn anew (C43)."""

from domain.calimala.components import FINAL_CARDS
from domain.calimala.state import Player, State
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
    hands = [player.hand for player in others]
    unseen = [sum(counts) for counts in zip(state.deck, *hands, strict=True)]

    for player in others:
        hand = [0] * len(unseen)
        for _ in range(sum(player.hand)):
            card = take_from(chance, unseen)
            hand[card] += 1
        player.hand = hand
    state.deck = unseen


def _redeal_scoring_cards(state: State, seat: int, chance: Chance) -> None:
    """Deal the other scoring cards anew from those that the seat cannot see.

    Once revealed, the kept ones are known; the other dealt ones never are.
    """
    others = _others(state, seat)
    known = {state.face_up, *state.players[seat].dealt}
    if state.revealed:
        known.update(player.kept for player in others)
    unseen = shuffled(chance, [card for card in FINAL_CARDS if card not in known])

    for player in others:
        size = len(player.dealt)
        if state.revealed and player.kept is not None:
            rest = [unseen.pop() for _ in range(size - 1)]
            player.dealt = [player.kept, *rest]
            continue
        player.dealt = [unseen.pop() for _ in range(size)]
        if player.kept is not None:
            player.kept = player.dealt[0]
