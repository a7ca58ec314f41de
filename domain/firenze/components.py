"""The pieces of the box, and the numbers of the rules (F1-F3, F9, F14, F18, F19, F24).

The values that differ from board to board are in board.json. A commission is named by its index, 0
to 35: colour by colour in the order of F2, and within a colour by height.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from domain.wire import Named

# SEATS: possible numbers of seats. SEAT_NUMBERS: numbers of the seats of the largest match (F1).
SEATS = range(2, 5)
SEAT_NUMBERS = range(SEATS[-1])
SEALS_BY_SEATS = {2: 9, 3: 7, 4: 6}

# Setup (F11-F13).
FIRST_SEAT_BRICKS = 2
NEUTRAL_SEALS = 5
ROW_LENGTH = 6
BRICKS_PER_SLOT = 4

# A turn (F18, F19, F24).
EXCHANGE_PRICE = 3
MOST_LAID = 6
BUILDING_COSTS = (0, 0, 0, 1, 3, 6, 10)
STOREHOUSE_LIMIT = 10
WAREHOUSE_LIMIT = 15
CARD_LIMIT = 5

# Commissions (F3, F23, F33, F38, F40).
LOWEST = 3
HIGHEST = 8
HEIGHTS = tuple(range(LOWEST, HIGHEST + 1))
FIRST_LEVEL = 5
BELL_TOWER_HEIGHT = 3
TAXED_HEIGHT = 5
LAST_SEAL_POINTS = 5

# The states of a commission without the seal of a seat.
OPEN = -2
NEUTRAL = -1


class Colour(Named):
    """The colours of bricks and towers, cheapest first (F2)."""

    WHITE = 0
    YELLOW = 1
    GREEN = 2
    RED = 3
    BLUE = 4
    PURPLE = 5


COLOURS = tuple(Colour)
Bricks = tuple[Colour, ...]
BRICKS_IN_THE_BOX = (25, 18, 15, 12, 10, 8)

# CPython 3.11 finds a name of the module faster than a member of an enum.
WHITE = Colour.WHITE


class End(Named):
    """The reason for the end of play (F40, F45)."""

    LAST_SEAL = 0
    TURN_LIMIT = 1


_HEIGHTS_PER_COLOUR = len(HEIGHTS)  # a name is faster than a call
COMMISSIONS = range(len(COLOURS) * len(HEIGHTS))


def commission_index(colour: int, height: int) -> int:
    """Return the index of the commission of this colour and height (F3)."""
    return colour * _HEIGHTS_PER_COLOUR + height - LOWEST


def colour_of(commission: int) -> Colour:
    """Return the colour of a commission."""
    return COLOURS[commission // len(HEIGHTS)]


def height_of(commission: int) -> int:
    """Return the height of a commission, 3 to 8."""
    return LOWEST + commission % len(HEIGHTS)


def commissions_of(colour: int) -> slice:
    """Return the slice of the six commissions of a colour in a list by commission."""
    first = colour * len(HEIGHTS)
    return slice(first, first + len(HEIGHTS))


def is_small(commission: int) -> bool:
    """Return True for a commission of 3 or 4 levels. Setup and Recognition need it (F11, F39)."""
    return height_of(commission) <= LOWEST + 1


# An empty pile of bricks: a count for each colour. `[*NO_BRICKS]` is a new pile.
NO_BRICKS = (0,) * len(COLOURS)


def add_bricks(pile: Sequence[int], other: Sequence[int]) -> list[int]:
    """Return two piles of bricks as one."""
    return [count + more for count, more in zip(pile, other, strict=True)]


# ---- action cards: their names, kinds and points (F7, F37, F39) ----------------------------------


class Kind(Named):
    """The five kinds of action cards (F7)."""

    EVENT = 0
    PERSONNEL = 1
    CELEBRATION = 2
    BUILDING = 3
    CHURCH = 4


class Card(Named):
    """The action cards by name (F7)."""

    BOTCH = 0
    COLLAPSE = 1
    FLOOD = 2
    LUXURY_TAX = 3
    RENAISSANCE = 4
    STOREHOUSE_FIRE = 5
    TRIBUTE = 6
    ALCHEMIST = 7
    ARCHITECT = 8
    MASON = 9
    PATRICIAN = 10
    PRINCESS = 11
    SABOTEUR = 12
    SMUGGLER = 13
    WHOLESALER = 14
    DISGRACE = 15
    FAME = 16
    MONUMENT = 17
    RECOGNITION = 18
    SCANDAL = 19
    BRIDGE = 20
    WAREHOUSE = 21
    WORKSHOP = 22
    CAMPANILE = 23
    MINOR_PRIVILEGE = 24
    PRIVILEGE = 25
    MAJOR_PRIVILEGE = 26


CARDS = tuple(Card)

# The kind of each card. The cards of a kind follow one another.
KIND_OF = (
    (Kind.EVENT,) * 7
    + (Kind.PERSONNEL,) * 8
    + (Kind.CELEBRATION,) * 5
    + (Kind.BUILDING,) * 3
    + (Kind.CHURCH,) * 4
)


def cards_of(*kinds: Kind) -> tuple[Card, ...]:
    """Return the cards of these kinds, in the order of their names here."""
    return tuple(card for card in CARDS if KIND_OF[card] in kinds)


EVENT_CARDS = cards_of(Kind.EVENT)
PERSONNEL = cards_of(Kind.PERSONNEL)
CELEBRATIONS = cards_of(Kind.CELEBRATION)
BUILDINGS = cards_of(Kind.BUILDING)
CHURCH_CARDS = cards_of(Kind.CHURCH)
HAND_CARDS = cards_of(Kind.PERSONNEL, Kind.CELEBRATION)

# CPython 3.11 finds a name of the module faster than a member of an enum.
EVENT = Kind.EVENT
BUILDING = Kind.BUILDING
CHURCH = Kind.CHURCH
CAMPANILE = Card.CAMPANILE
MASON = Card.MASON
MONUMENT = Card.MONUMENT
PATRICIAN = Card.PATRICIAN
PRINCESS = Card.PRINCESS
WAREHOUSE = Card.WAREHOUSE
WORKSHOP = Card.WORKSHOP

# Points of one copy at the end. Those of Recognition are counted (F39).
CELEBRATION_POINTS = {Card.DISGRACE: -2, Card.FAME: 3, Card.MONUMENT: 3, Card.SCANDAL: -3}

# By height: the church card for the next commission of this height, and its extra points (F37).
PRIVILEGES = {
    5: (Card.MINOR_PRIVILEGE, 2),
    6: (Card.PRIVILEGE, 3),
    7: (Card.MAJOR_PRIVILEGE, 4),
}

# The names of cards, colours and balconies in the JSON of views and boards.
CardName = Annotated[str, Card]
ColourName = Annotated[str, Colour]
Numeral = Literal["I", "II", "III", "IV"]
