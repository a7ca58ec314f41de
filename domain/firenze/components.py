"""What lies in the box (F1-F3, F7, F9, F19) and the names of things; what a board may vary lies in board.json."""

from domain.wire import Named

LOWEST, HIGHEST = 3, 8
HEIGHTS = tuple(range(LOWEST, HIGHEST + 1))
ROW = 6
SLOT_BRICKS = 4
MOST_LAID = 6
COSTS = (0, 0, 0, 1, 3, 6, 10)
EXCHANGE_PRICE = 3
STOREHOUSE_LIMIT, WAREHOUSE_LIMIT = 10, 15
CARD_LIMIT = 5
LAST_SEAL_POINTS = 5
BELL_TOWER = 3
TAXED_HEIGHT = 5
FIRST_LEVEL = 5
SEALS = {2: 9, 3: 7, 4: 6}
SEATS = range(max(SEALS))
NEUTRAL_SEALS = 5
OPEN, NEUTRAL = -2, -1


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
BRICKS = (25, 18, 15, 12, 10, 8)


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
KINDS = (
    (Kind.EVENT,) * 7
    + (Kind.PERSONNEL,) * 8
    + (Kind.CELEBRATION,) * 5
    + (Kind.BUILDING,) * 3
    + (Kind.CHURCH,) * 4
)
PERSONNEL = tuple(card for card in CARDS if KINDS[card] is Kind.PERSONNEL)
CELEBRATIONS = tuple(card for card in CARDS if KINDS[card] is Kind.CELEBRATION)
BUILDINGS = tuple(card for card in CARDS if KINDS[card] is Kind.BUILDING)

# To find a member in its class takes CPython 3.11 five times as long as a name of the module, and every turn asks.
WHITE = Colour.WHITE
EVENT, BUILDING, CHURCH = Kind.EVENT, Kind.BUILDING, Kind.CHURCH
MASON, PATRICIAN, PRINCESS = Card.MASON, Card.PATRICIAN, Card.PRINCESS
MONUMENT, WAREHOUSE, WORKSHOP, CAMPANILE = (
    Card.MONUMENT,
    Card.WAREHOUSE,
    Card.WORKSHOP,
    Card.CAMPANILE,
)

CELEBRATION_POINTS = {Card.DISGRACE: -2, Card.FAME: 3, Card.MONUMENT: 3, Card.SCANDAL: -3}
PRIVILEGES = {5: (Card.MINOR_PRIVILEGE, 2), 6: (Card.PRIVILEGE, 3), 7: (Card.MAJOR_PRIVILEGE, 4)}


class Step(Named):
    """What is to be settled next; the agenda is a stack of these."""

    SET_UP = 0
    CHOOSE = 1
    BUILD = 2
    FULFIL = 3
    ANSWER = 4
    RESOLVE = 5
    DISCARD = 6
    SCORE = 7


class End(Named):
    """Why the last turn was the last (F40, F45)."""

    LAST_SEAL = 0
    TURN_LIMIT = 1


def commission(colour: int, height: int) -> int:
    """Return the index (0-35) of the commission of this colour and height (F3)."""
    return colour * 6 + height - LOWEST
