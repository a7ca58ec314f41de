"""The state with all that is hidden from a seat drawn anew (P11)."""

from domain.chance import Chance
from domain.kit import take_from
from examples.ponte.state import State, no_stones


def imagine(state: State, seat: int, chance: Chance) -> State:
    """Return a copy in which the other hands are drawn anew from the stones the seat can't see."""
    imagined = state.copy()
    others = [player for other, player in enumerate(imagined.players) if other != seat]
    sizes = [sum(player.hand) for player in others]

    unseen = unseen_by(state, seat)
    for player, size in zip(others, sizes, strict=True):
        player.hand = no_stones()
        for _ in range(size):
            player.hand[take_from(chance, unseen)] += 1

    imagined.yard = unseen
    return imagined


def unseen_by(state: State, seat: int) -> list[int]:
    """Return how many stones of each height the seat cannot see: in the yard and other hands."""
    unseen = state.yard[:]
    for other, player in enumerate(state.players):
        if other != seat:
            unseen = [one + more for one, more in zip(unseen, player.hand, strict=True)]
    return unseen
