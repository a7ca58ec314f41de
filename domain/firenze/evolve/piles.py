"""Moving pieces: bricks between piles, cards from the deck, towers off their site."""

from collections.abc import Iterable

from domain.firenze.cards import Card
from domain.firenze.components import NO_BRICKS, Colour
from domain.firenze.state import Player, Slot, State, Tower, find_tower


def move_bricks(source: list[int], target: list[int], bricks: Iterable[int]) -> None:
    """Move these bricks from one pile to another."""
    for colour in bricks:
        source[colour] -= 1
        target[colour] += 1


def deal_slot(state: State, card: Card, bricks: Iterable[Colour]) -> None:
    """Put a card of the deck, with bricks of the pouch, onto the end of the row.

    The start cards lie on top (F13): one of them is drawn while there are any.
    """
    pile = state.start if state.start[card] else state.deck
    pile[card] -= 1

    slot = Slot(card, [*NO_BRICKS])
    move_bricks(state.pouch, slot.bricks, bricks)
    state.row.append(slot)


def tower_of(player: Player, number: int) -> Tower:
    """Return the tower with this number, which is there."""
    tower = find_tower(player, number)
    assert tower is not None
    return tower


def remove_tower(player: Player, number: int) -> Tower:
    """Take the tower with this number off its site and return it."""
    tower = tower_of(player, number)
    player.towers.remove(tower)
    return tower
