"""The state of a match of Calimala: the table, the players and the agenda."""

from dataclasses import dataclass, field

from domain.calimala.agenda import Activation, Item, Opening
from domain.calimala.components import (
    ACTIONS,
    ARTWORK_SLOTS,
    BUILDINGS,
    CITIES,
    CITY_ROOM,
    COLOURED_DISCS,
    CUBES,
    RESOURCES,
    ROW_SLOTS,
    STREETS,
    TILES,
    TRADE_CITIES,
    WHITE_DISCS,
    Action,
    Category,
    Edition,
    Layout,
)
from domain.game import Setup


@dataclass(slots=True)
class Player:
    """What lies before one player (C9, C10).

    stock: cubes in the warehouses by Resource. cloth: cubes in each workshop. houses: 1 where he has a trade house, by
    trade city. hand: how many cards of each Action. dealt, kept: his final scoring cards (C12).
    """

    discs: int
    whites: int
    reserve: int = CUBES
    stock: list[int] = field(default_factory=lambda: [0] * len(RESOURCES))
    cloth: list[int] = field(default_factory=lambda: [0])
    ships: int = 0
    houses: list[int] = field(default_factory=lambda: [0] * len(TRADE_CITIES))
    hand: list[int] = field(default_factory=lambda: [0] * len(ACTIONS))
    dealt: list[Category] = field(default_factory=list)
    kept: Category | None = None
    points: int = 0

    def copy(self) -> "Player":
        """Return an independent copy."""
        return Player(
            self.discs,
            self.whites,
            self.reserve,
            self.stock[:],
            self.cloth[:],
            self.ships,
            self.houses[:],
            self.hand[:],
            self.dealt[:],
            self.kept,
            self.points,
        )


@dataclass(slots=True)
class State:
    """The whole of a match.

    grid: the action of each cell. streets: the discs on each street from the bottom up, a seat or WHITE.
    council: the tiles in order of scoring. council_seats: who sits at each tile so far, WHITE where nobody does.
    cloth, contributed, artworks: cubes by City, by row (3 * building + resource) and by Building, then by seat; beside
    each the room that is left. patrons: who gave each artwork at Palazzo Vecchio, in order (C37).
    open_cards, deck, discards: how many action cards of each Action.
    scored, finals: how many tiles and final cards are settled. revealed: whether the kept cards are public (C41).
    """

    edition: Edition
    layout: Layout
    players: list[Player]
    grid: list[Action]
    streets: list[list[int]]
    council: list[Category]
    council_seats: list[int]
    cloth: list[list[int]]
    city_room: list[int]
    contributed: list[list[int]]
    row_room: list[int]
    artworks: list[list[int]]
    artwork_room: list[int]
    patrons: list[int]
    open_cards: list[int]
    deck: list[int]
    discards: list[int]
    face_up: Category | None
    scored: int
    finals: int
    revealed: bool
    ranks: list[int]
    agenda: list[Item]

    def copy(self) -> "State":
        """Return an independent copy."""
        return State(
            self.edition,
            self.layout,
            [player.copy() for player in self.players],
            self.grid[:],
            [stack[:] for stack in self.streets],
            self.council[:],
            self.council_seats[:],
            [cubes[:] for cubes in self.cloth],
            self.city_room[:],
            [cubes[:] for cubes in self.contributed],
            self.row_room[:],
            [cubes[:] for cubes in self.artworks],
            self.artwork_room[:],
            self.patrons[:],
            self.open_cards[:],
            self.deck[:],
            self.discards[:],
            self.face_up,
            self.scored,
            self.finals,
            self.revealed,
            self.ranks[:],
            [item.copy() if type(item) is Activation else item for item in self.agenda],
        )


def initial(setup: Setup) -> State:
    """Return the table before the house has shuffled and dealt anything."""
    seats = setup.seats
    none = [0] * len(ACTIONS)
    return State(
        edition=Edition.of(setup.options["edition"]),
        layout=Layout.of(setup.options["layout"]),
        players=[Player(COLOURED_DISCS[seats], WHITE_DISCS[seats]) for _ in range(seats)],
        grid=[],
        streets=[[] for _ in STREETS],
        council=[],
        council_seats=[],
        cloth=[[0] * seats for _ in CITIES],
        city_room=[CITY_ROOM] * len(CITIES),
        contributed=[[0] * seats for _ in ROW_SLOTS],
        row_room=list(ROW_SLOTS),
        artworks=[[0] * seats for _ in BUILDINGS],
        artwork_room=list(ARTWORK_SLOTS),
        patrons=[],
        open_cards=none[:],
        deck=none[:],
        discards=none[:],
        face_up=None,
        scored=0,
        finals=0,
        revealed=False,
        ranks=[],
        agenda=[Opening()],
    )


def all_scored(state: State) -> bool:
    """Whether every tile has been settled (C40)."""
    return state.scored == len(TILES)


def seats_held(state: State, seat: int) -> int:
    """Return how many council seats the player holds (C31)."""
    return state.council_seats.count(seat)


def standing(state: State, seat: int) -> int:
    """Return the player's seats and Palazzo Vecchio artworks together, which break ties (C37)."""
    return state.council_seats.count(seat) + state.artworks[-1][seat]
