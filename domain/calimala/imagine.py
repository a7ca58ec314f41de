"""The state with all that is hidden from a seat drawn anew (C43)."""

from domain.calimala.components import FINAL_CARDS
from domain.calimala.state import State
from domain.chance import Chance, pick, shuffled


def imagine(state: State, seat: int, chance: Chance) -> State:
    """Return a copy in which other hands, the deck and unseen scoring cards are drawn anew, as the seat may think."""
    copy = state.copy()
    _redraw_hands(copy, seat, chance)
    if any(player.dealt for player in copy.players):
        _redeal_scoring_cards(copy, seat, chance)
    return copy


def _redraw_hands(state: State, seat: int, chance: Chance) -> None:
    """Deal the other hands anew, each of the same size, from the cards that the seat cannot see."""
    others = [player for other, player in enumerate(state.players) if other != seat]
    unseen = [
        sum(cards) for cards in zip(state.deck, *(player.hand for player in others), strict=True)
    ]
    for player in others:
        hand = [0] * len(unseen)
        for _ in range(sum(player.hand)):
            card = pick(chance, unseen)
            unseen[card] -= 1
            hand[card] += 1
        player.hand = hand
    state.deck = unseen


def _redeal_scoring_cards(state: State, seat: int, chance: Chance) -> None:
    """Deal the other scoring cards anew from those that the seat cannot see; revealed ones are known."""
    known = {state.face_up, *state.players[seat].dealt}
    others = [player for other, player in enumerate(state.players) if other != seat]
    if state.revealed:
        known.update(player.kept for player in others)
    unseen = shuffled(chance, [card for card in FINAL_CARDS if card not in known])
    for player in others:
        size = len(player.dealt)
        if state.revealed and player.kept is not None:
            player.dealt = [player.kept, *(unseen.pop() for _ in range(size - 1))]
            continue
        player.dealt = [unseen.pop() for _ in range(size)]
        if player.kept is not None:
            player.kept = player.dealt[0]
