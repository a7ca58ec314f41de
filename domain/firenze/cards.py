"""The action cards: their names, their kinds, and what they bring (F7, F37, F39)."""

from domain.wire import Named


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

# To find a member in its class takes CPython 3.11 five times as long as to find a name of the
# module, and every turn asks for these.
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

# Points of one copy at the end; those of Recognition are counted (F39).
CELEBRATION_POINTS = {Card.DISGRACE: -2, Card.FAME: 3, Card.MONUMENT: 3, Card.SCANDAL: -3}

# By height: the church card that makes the next such commission worth more, and how much (F37).
PRIVILEGES = {
    5: (Card.MINOR_PRIVILEGE, 2),
    6: (Card.PRIVILEGE, 3),
    7: (Card.MAJOR_PRIVILEGE, 4),
}
