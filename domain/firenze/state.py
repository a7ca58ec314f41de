"""The state of a match and plain queries on it."""

from dataclasses import dataclass

from domain.firenze.board import Board
from domain.firenze.components import (
    BUILDINGS,
    CAMPANILE,
    CARD_LIMIT,
    HIGHEST,
    LOWEST,
    NEUTRAL,
    OPEN,
    PERSONNEL,
    STOREHOUSE_LIMIT,
    WAREHOUSE,
    WAREHOUSE_LIMIT,
    Card,
    Colour,
    Step,
    commission,
)


@dataclass(slots=True)
class Tower:
    """A tower on a construction site. idle: it stood when the turn began and has not been raised since (F20)."""

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

    def copy(self) -> "Slot":
        """Return an independent copy."""
        return Slot(self.card, self.bricks[:])


@dataclass(slots=True)
class Player:
    """One seat: storehouse by colour, hand and open buildings by card, towers oldest first, unused seals, points.

    next_tower is the number that its next tower gets; numbers are never used again within a seat.
    bell_tower: it has delivered to the open Campanile (F38).
    """

    storehouse: list[int]
    cards: list[int]
    towers: list[Tower]
    next_tower: int
    seals: int
    points: int
    bell_tower: bool

    def copy(self) -> "Player":
        """Return an independent copy."""
        return Player(
            self.storehouse[:],
            self.cards[:],
            [tower.copy() for tower in self.towers],
            self.next_tower,
            self.seals,
            self.points,
            self.bell_tower,
        )


@dataclass(frozen=True, slots=True)
class Task:
    """One entry of the agenda: what is to be settled and by which seat (or the house)."""

    step: Step
    seat: int


@dataclass(frozen=True, slots=True)
class Due:
    """What an event takes from a seat (F33): a number of bricks (of these colours, if any are named), lost towers."""

    seat: int
    bricks: int
    exact: tuple[Colour, ...]
    lost: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Architect:
    """The Architect played this turn and not used yet; bound to a tower and +1 or -1, or to neither (F28)."""

    tower: int | None
    by: int | None


@dataclass(slots=True)
class State:
    """A match of Firenze. Bricks are lists by colour, cards lists by card, commissions lists by index (36).

    turn counts the turns of all from 0. seals: OPEN, NEUTRAL or a seat for each commission. levels: the seat that
    took the level tile of 5-8 levels, or -1. balconies: the commissions under balcony I-IV, next_balcony of which is
    open. start: what is left of the start cards, which lie on the deck (F13). taken: the card that is taking effect,
    with the bricks that lay on it. end_seat: the holder of the end tile, or -1. agenda: the last entry is next.
    """

    board: Board
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
    exchanged: bool
    played: list[Card]
    architect: Architect | None
    dues: tuple[Due, ...]
    end_seat: int
    ranks: tuple[int, ...]
    agenda: list[Task]

    def copy(self) -> "State":
        """Return an independent copy; the board is shared, nobody changes it."""
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
            [slot.copy() for slot in self.row],
            self.church[:],
            [player.copy() for player in self.players],
            self.turn,
            self.active,
            self.taken,
            self.taken_bricks[:],
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


def built_colours(player: Player) -> set[Colour]:
    """Return the colours of which the player is building a tower (F25)."""
    return {tower.colour for tower in player.towers}


def is_open(state: State, colour: int, height: int) -> bool:
    """An uncovered commission is open, one under a balcony only in its turn (F21, F22)."""
    return LOWEST <= height <= HIGHEST and lowest_open(state, colour, height, height) == height


def lowest_open(state: State, colour: int, least: int, most: int = HIGHEST) -> int:
    """Return the lowest height from `least` to `most` whose commission is open, or 0 (F21, F22)."""
    seals, balconies = state.seals, state.balconies
    index = commission(colour, least)
    for height in range(least, most + 1):
        if seals[index] == OPEN and (
            index not in balconies or index == balconies[state.next_balcony]
        ):
            return height
        index += 1
    return 0


def sealed_by(state: State, seat: int) -> list[int]:
    """Return the commissions that carry the seat's seals."""
    return [index for index, owner in enumerate(state.seals) if owner == seat and owner != NEUTRAL]


def owes_bell_tower(state: State, seat: int) -> bool:
    """While the Campanile is open, who has not delivered may fulfil nothing else (F38)."""
    return CAMPANILE in state.church and not state.players[seat].bell_tower


def free_bricks(state: State, seat: int) -> list[int]:
    """Return the bricks a seat may give up: Flood and Storehouse Fire spare those of the taken card (F32, F33)."""
    storehouse = state.players[seat].storehouse
    if seat != state.active or state.taken not in (Card.FLOOD, Card.STOREHOUSE_FIRE):
        return storehouse
    return [have - new for have, new in zip(storehouse, state.taken_bricks, strict=True)]


def due_of(state: State, seat: int) -> Due:
    """Return what the event being settled takes from the seat."""
    return next(due for due in state.dues if due.seat == seat)


def brick_surplus(player: Player) -> int:
    """At most 10 bricks stay in a storehouse, 15 with a Warehouse (F24)."""
    limit = WAREHOUSE_LIMIT if player.cards[WAREHOUSE] else STOREHOUSE_LIMIT
    return max(0, sum(player.storehouse) - limit)


def discardable(player: Player) -> list[Card]:
    """Return the Personnel and Buildings of a player, one entry a card (F24)."""
    return [card for card in _SURPLUS for _ in range(player.cards[card])]


def card_surplus(player: Player) -> int:
    """At most 5 cards stay, hand and buildings, but Celebrations always do; no limit with a Warehouse (F24)."""
    surplus = sum(player.cards) - CARD_LIMIT
    if surplus <= 0 or player.cards[WAREHOUSE]:
        return 0
    return min(surplus, len(discardable(player)))


_SURPLUS = PERSONNEL + BUILDINGS
