"""What the house lays out before the first move (C4, C11, C12)."""

from domain.calimala.components import (
    ACTIONS,
    CARDS_DEALT,
    CENTRE,
    FINAL_CARDS,
    FIRST_GAME,
    TILES,
    Action,
    Layout,
)
from domain.calimala.events import BoardLaidOut, ScoringCardsDealt
from domain.calimala.state import State
from domain.chance import Chance, shuffled
from domain.game import Draft


def lay_out(draft: Draft[State]) -> None:
    """Shuffle the tiles and the council (C4, C11) and deal the final scoring cards (C12)."""
    chance = draft.chance
    seats = len(draft.state.players)
    dealt = CARDS_DEALT[seats]

    # The order of these draws is fixed for ever: final cards, grid, council.
    cards = shuffled(chance, FINAL_CARDS)
    grid = _grid(draft.state.layout, chance)
    council = tuple(shuffled(chance, TILES))

    all_dealt = seats * dealt == len(cards)
    face_up = None if all_dealt else cards[-1]
    draft.emit(BoardLaidOut(grid, council, face_up))

    for seat in range(seats):
        first = seat * dealt
        own_cards = sorted(cards[first : first + dealt])
        draft.emit(ScoringCardsDealt(seat, tuple(own_cards)))


def _grid(layout: Layout, chance: Chance) -> tuple[Action, ...]:
    """Return the action of each cell, shuffled around the printed centre or as for a first game."""
    if layout is Layout.FIRST_GAME:
        return FIRST_GAME
    tiles = shuffled(chance, ACTIONS[:-1])
    return (*tiles[:CENTRE], Action.CONTRIBUTE, *tiles[CENTRE:])
