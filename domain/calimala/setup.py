"""The options of a match, and the table before the first move (C4, C9-C12)."""

from domain.calimala import components as box
from domain.calimala.agenda import Opening
from domain.calimala.events import BoardLaidOut, ScoringCardsDealt
from domain.calimala.state import Player, State
from domain.chance import Chance, shuffled
from domain.game import Draft, Setup
from domain.kit import wire_names
from domain.options import Choice

# The options for the creator of a match.
OPTIONS = (
    Choice(
        name="edition",
        default="english",
        text=(
            "Rulebook for the exchange of a white fourth disc "
            "without a coloured disc in reserve (C33)."
        ),
        choices=wire_names(box.Edition),
    ),
    Choice(
        name="layout",
        default="random",
        text="Layout of the action tiles: shuffled, or as for a first game (C4).",
        choices=wire_names(box.Layout),
    ),
)


# ---- the table before the first move -------------------------------------------------------------


def initial(setup: Setup) -> State:
    """Return the table before anything is shuffled or dealt."""
    seats = setup.seats
    edition = setup.options["edition"]
    layout = setup.options["layout"]
    no_cards = [0] * len(box.ACTIONS)
    no_cubes = (0,) * seats
    return State(
        edition=box.Edition.of(edition),
        layout=box.Layout.of(layout),
        players=[_initial_player(seats) for _ in range(seats)],
        grid=(),
        streets=[()] * len(box.STREETS),
        council=(),
        council_seats=(),
        cloth=[no_cubes] * len(box.CITIES),
        city_room=[box.CITY_ROOM] * len(box.CITIES),
        contributed=[no_cubes] * len(box.ROW_SLOTS),
        row_room=list(box.ROW_SLOTS),
        artworks=[no_cubes] * len(box.BUILDINGS),
        artwork_room=list(box.ARTWORK_SLOTS),
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
    return Player(discs=box.COLOURED_DISCS[seats], whites=box.WHITE_DISCS[seats])


def lay_out(draft: Draft[State]) -> None:
    """Lay out grid and council (C4, C11), and deal the final scoring cards (C12)."""
    chance = draft.chance
    seats = len(draft.state.players)
    dealt = box.CARDS_DEALT[seats]

    # Records fix the order of the draws: final cards, grid, council.
    cards = shuffled(chance, box.FINAL_CARDS)
    grid = _grid(draft.state.layout, chance)
    council = tuple(shuffled(chance, box.TILES))

    all_dealt = seats * dealt == len(cards)
    face_up = None if all_dealt else cards[-1]
    draft.emit(BoardLaidOut(grid, council, face_up))

    for seat in range(seats):
        first = seat * dealt
        own_cards = sorted(cards[first : first + dealt])
        draft.emit(ScoringCardsDealt(seat, tuple(own_cards)))


def _grid(layout: box.Layout, chance: Chance) -> tuple[box.Action, ...]:
    """Return the action of each cell, shuffled around the centre or as for a first game (C4)."""
    if layout is box.Layout.FIRST_GAME:
        return box.FIRST_GAME
    tiles = shuffled(chance, box.ACTIONS[:-1])
    return (*tiles[: box.CENTRE], box.Action.CONTRIBUTE, *tiles[box.CENTRE :])
