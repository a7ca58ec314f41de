"""The state of a match of Calimala: the table, the players and the agenda."""

from dataclasses import dataclass, field

from domain.calimala import components as box
from domain.calimala.agenda import Activation, Item


@dataclass(slots=True)
class Player:
    """The belongings of one player (C9, C10).

    discs, whites: the coloured and the white discs to be placed. reserve: cubes not in play.
    stock: cubes in the warehouses, by Resource. cloth: cubes in each workshop.
    houses: by trade city, 1 with a trade house of the player, else 0. hand: number of cards by
    Action. drafted: the openly taken card, until the player plays a card of its action (C13).
    dealt, kept: the player's final scoring cards (C12).
    """

    discs: int
    whites: int
    reserve: int = box.CUBES
    stock: list[int] = field(default_factory=lambda: [0] * len(box.RESOURCES))
    cloth: tuple[int, ...] = (0,)
    ships: int = 0
    houses: list[int] = field(default_factory=lambda: [0] * len(box.TRADE_CITIES))
    hand: list[int] = field(default_factory=lambda: [0] * len(box.ACTIONS))
    drafted: box.Action | None = None
    dealt: tuple[box.Category, ...] = ()
    kept: box.Category | None = None
    points: int = 0

    def copy(self) -> "Player":
        """Return an independent copy."""
        # Quicker than `__init__`. Bots copy a state for each move that they try.
        copy = object.__new__(Player)
        copy.discs = self.discs
        copy.whites = self.whites
        copy.reserve = self.reserve
        copy.stock = self.stock[:]
        copy.cloth = self.cloth
        copy.ships = self.ships
        copy.houses = self.houses[:]
        copy.hand = self.hand[:]
        copy.drafted = self.drafted
        copy.dealt = self.dealt
        copy.kept = self.kept
        copy.points = self.points
        return copy


@dataclass(slots=True)
class State:
    """The whole of a match.

    grid: the action of each cell. streets: the discs on each street from the bottom up, each a seat
    or WHITE.
    council: the tiles in order of scoring. council_seats: the seat at each tile so far, WHITE for
    an empty one.
    cloth, contributed, artworks: cubes by City, by row (`row_of`) and by Building, then by seat.
    city_room, row_room, artwork_room: the free slots of each.
    patrons: the giver of each artwork at Palazzo Vecchio, in order (C37).
    open_cards, deck, discards: number of action cards by Action.
    face_up: the open final card, if there is one.
    scored, finals: numbers of settled tiles and final cards. revealed: True once the kept cards are
    public (C41). ranks: of each seat, empty until the end. agenda: the last item is settled next.

    Heaps of cubes, stacks of discs and some other fields are tuples. Copies share tuples.
    """

    edition: box.Edition
    layout: box.Layout
    players: list[Player]
    grid: tuple[box.Action, ...]
    streets: list[tuple[int, ...]]
    council: tuple[box.Category, ...]
    council_seats: tuple[int, ...]
    cloth: list[tuple[int, ...]]
    city_room: list[int]
    contributed: list[tuple[int, ...]]
    row_room: list[int]
    artworks: list[tuple[int, ...]]
    artwork_room: list[int]
    patrons: tuple[int, ...]
    open_cards: list[int]
    deck: list[int]
    discards: list[int]
    face_up: box.Category | None
    scored: int
    finals: int
    revealed: bool
    ranks: tuple[int, ...]
    agenda: list[Item]

    def copy(self) -> "State":
        """Return an independent copy."""
        copy = object.__new__(State)  # as in Player.copy
        copy.edition = self.edition
        copy.layout = self.layout
        copy.players = [player.copy() for player in self.players]
        copy.grid = self.grid
        copy.streets = self.streets[:]
        copy.council = self.council
        copy.council_seats = self.council_seats
        copy.cloth = self.cloth[:]
        copy.city_room = self.city_room[:]
        copy.contributed = self.contributed[:]
        copy.row_room = self.row_room[:]
        copy.artworks = self.artworks[:]
        copy.artwork_room = self.artwork_room[:]
        copy.patrons = self.patrons
        copy.open_cards = self.open_cards[:]
        copy.deck = self.deck[:]
        copy.discards = self.discards[:]
        copy.face_up = self.face_up
        copy.scored = self.scored
        copy.finals = self.finals
        copy.revealed = self.revealed
        copy.ranks = self.ranks
        copy.agenda = [_item_copy(item) for item in self.agenda]
        return copy


def _item_copy(item: Item) -> Item:
    """Return a copy of an activation. All other items never change, so they are shared."""
    return item.copy() if type(item) is Activation else item


def one_more(counts: tuple[int, ...], place: int) -> tuple[int, ...]:
    """Return the counts with one more in a place."""
    return (*counts[:place], counts[place] + 1, *counts[place + 1 :])


def street_actions(state: State, street: int) -> tuple[box.Action, box.Action]:
    """Return the two actions that a street joins (C3)."""
    one, other = box.ENDS[street]
    return state.grid[one], state.grid[other]


def discs_left(player: Player) -> list[box.Disc]:
    """Return the sorts of discs that the player has left to place (C14)."""
    counts = zip(box.DISCS, (player.discs, player.whites), strict=True)
    return [disc for disc, count in counts if count]


def all_scored(state: State) -> bool:
    """Return True if every tile is settled (C40)."""
    return state.scored == len(box.TILES)


def next_tile(state: State) -> box.Category:
    """Return the next tile to settle, in council order (C31, C39)."""
    return state.council[state.scored]


def kept_cards(state: State) -> list[box.Category]:
    """Return the final scoring cards kept so far, by seat (C12)."""
    return [player.kept for player in state.players if player.kept is not None]


def seats_held(state: State, seat: int) -> int:
    """Return the number of the player's council seats (C31)."""
    return state.council_seats.count(seat)


def standing(state: State, seat: int) -> int:
    """Return the sum of the player's seats and Palazzo Vecchio artworks, a tie-break (C37)."""
    return seats_held(state, seat) + state.artworks[-1][seat]
