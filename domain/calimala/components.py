"""The box of Calimala: its pieces and printed numbers (C1-C13)."""

from domain.wire import Named


class Action(Named):
    """The nine actions (C2)."""

    WOOD = 0
    BRICK = 1
    MARBLE = 2
    BUILD = 3
    ARTWORK = 4
    WEAVE = 5
    SHIP = 6
    TRANSPORT = 7
    CONTRIBUTE = 8


class Resource(Named):
    """The resources of warehouses. Their numbers are those of the actions that gain them (C9)."""

    WOOD = 0
    BRICK = 1
    MARBLE = 2


class City(Named):
    """Three port cities, then three trade cities (C7)."""

    BARCELONA = 0
    LISBON = 1
    LONDON = 2
    TROYES = 3
    BRUGES = 4
    HAMBURG = 5


class Building(Named):
    """Three buildings under construction, then the town hall, for artworks only (C8)."""

    SANTA_MARIA_DEL_FIORE = 0
    SAN_MINIATO = 1
    SANTA_CROCE = 2
    PALAZZO_VECCHIO = 3


class Project(Named):
    """The projects of the build action (C24)."""

    SHIP = 0
    WORKSHOP = 1
    TRADE_HOUSE = 2


class Category(Named):
    """The categories of scorings: 15 scoring tiles and Palazzo Vecchio (C5, C6)."""

    BARCELONA = 0
    LISBON = 1
    LONDON = 2
    TROYES = 3
    BRUGES = 4
    HAMBURG = 5
    SANTA_MARIA_DEL_FIORE = 6
    SAN_MINIATO = 7
    SANTA_CROCE = 8
    ARTWORK = 9
    PORT_CITIES = 10
    TRADE_CITIES = 11
    CONTRIBUTED_WOOD = 12
    CONTRIBUTED_BRICK = 13
    CONTRIBUTED_MARBLE = 14
    PALAZZO_VECCHIO = 15


class Disc(Named):
    """The two sorts of discs a player places (C10)."""

    COLOURED = 0
    WHITE = 1


class Street(Named):
    """The twelve streets (C3). Each has the names of the two cells it joins, such as "0-1"."""

    S01 = 0
    S12 = 1
    S34 = 2
    S45 = 3
    S67 = 4
    S78 = 5
    S03 = 6
    S14 = 7
    S25 = 8
    S36 = 9
    S47 = 10
    S58 = 11

    def __init__(self, _index: int) -> None:
        self.wire = f"{self._name_[1]}-{self._name_[2]}"


class Edition(Named):
    """The rulebook for the exchange of a white disc without a coloured one in reserve (C33)."""

    ENGLISH = 0
    HUNGARIAN = 1
    GERMAN = 2


class Layout(Named):
    """The layout of the action tiles (C4)."""

    RANDOM = 0
    FIRST_GAME = 1


class Decider(Named):
    """The reason for one player above the next in a scoring, or for a shared place (C36, C37)."""

    COUNT = 0
    SUM = 1
    SEATS = 2
    FIRST_TO_SEATS = 3
    FIRST_ARTWORK = 4
    SHARED = 5


SEATS = range(3, 6)  # numbers of seats (C1)
WHITE = -1  # a white disc in a stack. A coloured one is its owner's seat

ACTIONS = tuple(Action)
RESOURCES = tuple(Resource)
CITIES = tuple(City)
BUILDINGS = tuple(Building)
CATEGORIES = tuple(Category)
DISCS = tuple(Disc)
STREETS = tuple(Street)

PORT_CITIES = CITIES[:3]
TRADE_CITIES = CITIES[3:]
BUILDINGS_UNDER_CONSTRUCTION = BUILDINGS[:3]
TILES = CATEGORIES[:15]
FINAL_CARDS = (*CATEGORIES[:9], Category.PALAZZO_VECCHIO)
DRAFTED = (Action.WOOD, Action.BRICK, Action.MARBLE, Action.WEAVE, Action.BUILD)

CENTRE = 4
FIRST_GAME = (
    *(Action.BRICK, Action.ARTWORK, Action.SHIP),
    *(Action.WOOD, Action.CONTRIBUTE, Action.BUILD),
    *(Action.MARBLE, Action.WEAVE, Action.TRANSPORT),
)
ENDS = tuple((int(street.name[1]), int(street.name[2])) for street in STREETS)  # cells by Street

CARDS_OF_EACH_ACTION = 5
CITY_ROOM = 12
ROW_SLOTS: tuple[int, ...] = (
    *(5, 5, 5),  # Santa Maria del Fiore: wood, brick, marble (C8)
    *(3, 3, 3),  # San Miniato
    *(4, 4, 4),  # Santa Croce
)
ARTWORK_SLOTS = (5, 3, 4, 4)  # by Building

CUBES = 40
SHIPS = 3
WORKSHOPS = 3
CAPACITY = 4  # of a warehouse, and of a workshop
COSTS = ((2, 0), (1, 1), (0, 2))  # wood and brick of a ship, a workshop, a trade house (C24)

COLOURED_DISCS = {3: 12, 4: 10, 5: 8}  # by the number of seats, as are the next two
WHITE_DISCS = {3: 3, 4: 2, 5: 2}
CARDS_DEALT = {3: 3, 4: 2, 5: 2}
FULL_STACK = 3

PLACES = (3, 2, 1)  # points of the places of a tile (C36)
FINAL_PLACES = (5, 3, 1)  # points of the places of a final scoring card (C41)

# Slices of lists by City, and of lists by row. A row has the slots for one resource at one
# building.
PORTS = slice(0, 3)
TRADES = slice(3, 6)
ROWS_OF_RESOURCE = tuple(slice(resource, None, len(RESOURCES)) for resource in RESOURCES)
ROWS_OF_BUILDING = tuple(
    slice(first, first + len(RESOURCES)) for first in range(0, len(ROW_SLOTS), len(RESOURCES))
)


def row_of(building: int, resource: int) -> int:
    """Return the row (0-8) of the slots for a resource at a building under construction (C8)."""
    return len(RESOURCES) * building + resource


def trade_index(city: int) -> int:
    """Return the place (0-2) of a trade city in a player's houses and in TRADE_CITIES (C7)."""
    return city - TRADES.start
