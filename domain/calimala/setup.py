"""The table before the first move (C4, C9-C12)."""

from domain.calimala.agenda import Opening
from domain.calimala.components import (
    ACTIONS,
    ARTWORK_SLOTS,
    BUILDINGS,
    CARDS_DEALT,
    CENTRE,
    CITIES,
    CITY_ROOM,
    COLOURED_DISCS,
    FINAL_CARDS,
    FIRST_GAME,
    ROW_SLOTS,
    STREETS,
    TILES,
    WHITE_DISCS,
    Action,
    Edition,
    Layout,
)
from domain.calimala.events import BoardLaidOut, ScoringCardsDealt
from domain.calimala.state import Player, State
from domain.chance import Chance, shuffled
from domain.game import Draft, Setup


def initial(setup: Setup) -> State:
    """Return the table before the house has shuffled and dealt anything."""
    seats = setup.seats
    edition = setup.options["edition"]
    layout = setup.options["layout"]
    no_cards = [0] * len(ACTIONS)
    no_cubes = (0,) * seats
    return State(
        edition=Edition.of(edition),
        layout=Layout.of(layout),
        players=[_initial_player(seats) for _ in range(seats)],
        grid=(),
        streets=[()] * len(STREETS),
        council=(),
        council_seats=(),
        cloth=[no_cubes] * len(CITIES),
        city_room=[CITY_ROOM] * len(CITIES),
        contributed=[no_cubes] * len(ROW_SLOTS),
        row_room=list(ROW_SLOTS),
        artworks=[no_cubes] * len(BUILDINGS),
        artwork_room=list(ARTWORK_SLOTS),
        patrons=(),
        open_cards=no_cards[:],
        deck=no_cards[:],
        discards=no_cards[:],
        face_up=None,
        scored=0,
        finals=0,
        revealed=False,
        ranks=(),
        agenda=[Opening()],
    )


def _initial_player(seats: int) -> Player:
    return Player(discs=COLOURED_DISCS[seats], whites=WHITE_DISCS[seats])


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
