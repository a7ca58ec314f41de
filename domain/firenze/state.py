"""The state of a match.

Piles of bricks are lists of counts by colour, piles of cards are lists of counts by card. Lists by
commission are in the order of `components.commission_index`.
"""

from dataclasses import dataclass

from domain.firenze.agenda import Task
from domain.firenze.board import BoardTables
from domain.firenze.components import Card, Colour


@dataclass(slots=True)
class Tower:
    """A tower on a construction site.

    idle: True if the tower stood when its player's latest turn began, and has not been raised
    since (F20).
    """

    id: int
    colour: Colour
    height: int
    idle: bool

    def copy(self) -> "Tower":
        """Return an independent copy."""
        return Tower(self.id, self.colour, self.height, self.idle)


@dataclass(slots=True)
class Slot:
    """A card in the row and the bricks on it by colour (F13)."""

    card: Card
    bricks: list[int]


@dataclass(slots=True)
class Player:
    """The belongings of one seat.

    cards: the hand and the open buildings.   towers: in order of age, the oldest first.
    seals: number of unused seals.   next_tower: number of the seat's next tower.
    Numbers of removed towers are not used again.
    bell_tower: True if a tower was delivered to the open Campanile (F38).
    """

    storehouse: list[int]
    cards: list[int]
    towers: list[Tower]
    next_tower: int
    seals: int
    points: int
    bell_tower: bool

    def copy(self) -> "Player":
        """Return an independent copy. The call without keywords is faster."""
        return Player(
            self.storehouse[:],
            self.cards[:],
            [tower.copy() for tower in self.towers],
            self.next_tower,
            self.seals,
            self.points,
            self.bell_tower,
        )

    @property
    def tallest(self) -> int:
        """The height of the tallest tower, 0 without towers."""
        return max([tower.height for tower in self.towers], default=0)


@dataclass(frozen=True, slots=True)
class Due:
    """The bricks and towers that a seat must give up for an event (F33).

    bricks: number of bricks. exact: colours of the bricks, one entry per brick. Empty: any
    colours.
    lost: numbers of the towers.
    """

    seat: int
    bricks: int
    exact: tuple[Colour, ...]
    lost: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Architect:
    """The Architect played this turn and not used yet (F28).

    tower: number of the tower that the Architect serves.   by: +1 or -1 level for this tower.
    Both fields are None if the Architect serves any tower.
    """

    tower: int | None
    by: int | None


@dataclass(slots=True)
class State:
    """A match of Firenze.

    worth: the points of each commission, as printed or as on its balcony.
    seals: OPEN, NEUTRAL or a seat for each commission.
    levels: the seats with the level tiles of 5, 6, 7 and 8 levels, -1 for none.
    balconies: the commissions under the balconies I to IV.
    next_balcony: index of the open balcony, 4 for none.
    start: the start cards left on top of the deck (F13).
    turn: number of the current turn, counted from 0 over all seats. active: the seat of this turn.
    taken: the card that is taking effect, or None.
    taken_bricks: the bricks that lay on the last taken card, none once the row is refilled or
    shortened.
    at_work: the card taken or played last. The story gives it as a reason. None once the row is
    refilled or shortened, a player discards a card, or a turn begins.
    end_seat: the holder of the end tile, or -1.
    agenda: the open tasks. The last one is settled next.
    """

    board: BoardTables
    patrician_spares: bool
    ask_discards: bool
    turn_limit: int
    worth: list[int]
    seals: list[int]
    levels: list[int]
    balconies: list[int]
    next_balcony: int
    pouch: list[int]
    start: list[int]
    deck: list[int]
    discards: list[int]
    row: list[Slot]
    church: list[Card]
    players: list[Player]
    turn: int
    active: int
    taken: Card | None
    taken_bricks: list[int]
    at_work: Card | None
    exchanged: bool
    played: list[Card]
    architect: Architect | None
    dues: tuple[Due, ...]
    end_seat: int
    ranks: tuple[int, ...]
    agenda: list[Task]

    def copy(self) -> "State":
        """Return an independent copy. The board is shared, since nobody changes it.

        The call without keywords is faster, and bots copy many states.
        """
        return State(
            self.board,
            self.patrician_spares,
            self.ask_discards,
            self.turn_limit,
            self.worth[:],
            self.seals[:],
            self.levels[:],
            self.balconies[:],
            self.next_balcony,
            self.pouch[:],
            self.start[:],
            self.deck[:],
            self.discards[:],
            [Slot(slot.card, slot.bricks[:]) for slot in self.row],
            self.church[:],
            [player.copy() for player in self.players],
            self.turn,
            self.active,
            self.taken,
            self.taken_bricks[:],
            self.at_work,
            self.exchanged,
            self.played[:],
            self.architect,
            self.dues,
            self.end_seat,
            self.ranks,
            self.agenda[:],
        )


def find_tower(player: Player, number: int | None) -> Tower | None:
    """Return the tower with this number, or None."""
    for tower in player.towers:
        if tower.id == number:
            return tower
    return None


def free_bricks(state: State, seat: int) -> list[int]:
    """Return the bricks by colour that a seat may lose to the taken event.

    Flood and Storehouse Fire spare the bricks that came with the card (F32, F33).
    """
    storehouse = state.players[seat].storehouse
    if seat != state.active or state.taken not in _SPARING:
        return storehouse
    return [have - new for have, new in zip(storehouse, state.taken_bricks, strict=True)]


_SPARING = (Card.FLOOD, Card.STOREHOUSE_FIRE)
