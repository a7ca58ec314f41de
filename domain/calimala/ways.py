"""Every way to carry out an action, made once and known by its index in WAYS (C23-C29)."""

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

from domain.calimala.commands import Perform, PlayCard
from domain.calimala.components import (
    ACTIONS,
    BUILDINGS,
    BUILDINGS_UNDER_CONSTRUCTION,
    PORT_CITIES,
    RESOURCES,
    SHIPS,
    TRADE_CITIES,
    Action,
    Building,
    City,
    Project,
    Resource,
)

Indexes = Sequence[int]


class Way(NamedTuple):
    """One way to carry out an action: the action with its parameters (C23-C29)."""

    action: Action
    build: Project | None = None
    city: City | None = None
    building: Building | None = None
    resource: Resource | None = None
    cities: tuple[City, ...] | None = None


WAYS = (
    *(Way(action) for action in (Action.WOOD, Action.BRICK, Action.MARBLE)),
    Way(Action.BUILD, build=Project.SHIP),
    Way(Action.BUILD, build=Project.WORKSHOP),
    *(Way(Action.BUILD, build=Project.TRADE_HOUSE, city=city) for city in TRADE_CITIES),
    *(Way(Action.ARTWORK, building=building) for building in BUILDINGS),
    Way(Action.WEAVE),
    *(
        Way(Action.SHIP, cities=cities)
        for size in (1, 2, 3)
        for cities in combinations_with_replacement(PORT_CITIES, size)
    ),
    *(
        Way(Action.TRANSPORT, cities=cities)
        for size in (1, 2, 3)
        for cities in combinations(TRADE_CITIES, size)
    ),
    *(
        Way(Action.CONTRIBUTE, resource=resource, building=building)
        for resource in RESOURCES
        for building in BUILDINGS_UNDER_CONSTRUCTION
    ),
)
_INDEX: dict[tuple[object, ...], int] = {way: index for index, way in enumerate(WAYS)}
NO_INDEX = -1


def index_of(command: Perform | PlayCard) -> int:
    """Return the index of the way that a command names, its cities in any order.

    NO_INDEX if there is no such way.
    """
    cities = command.cities
    if cities is not None:
        cities = tuple(sorted(cities))

    fields = (
        command.action,
        command.build,
        command.city,
        command.building,
        command.resource,
        cities,
    )
    return _INDEX.get(fields, NO_INDEX)


# ---- the same by what a player has ---------------------------------------------------------------

NO_WAY: Indexes = ()


def _ways_of(action: Action) -> list[int]:
    return [index for index, way in enumerate(WAYS) if way.action is action]


WAYS_OF = tuple(_ways_of(action) for action in ACTIONS)  # by Action


def _house_in(city: City) -> int:
    return _INDEX[Way(Action.BUILD, build=Project.TRADE_HOUSE, city=city)]


BUILD_SHIP = _INDEX[Way(Action.BUILD, build=Project.SHIP)]
BUILD_WORKSHOP = _INDEX[Way(Action.BUILD, build=Project.WORKSHOP)]
BUILD_HOUSE = [_house_in(city) for city in TRADE_CITIES]  # by trade city


def _contributions(resource: Resource) -> list[int]:
    contributions = WAYS_OF[Action.CONTRIBUTE]
    return [index for index in contributions if WAYS[index].resource is resource]


CONTRIBUTE = [_contributions(resource) for resource in RESOURCES]  # then by building


def _cities(index: int) -> tuple[City, ...]:
    return WAYS[index].cities or ()


def _loads(index: int) -> tuple[int, ...]:
    """Return how much cloth a shipment brings to each port city."""
    return tuple(_cities(index).count(city) for city in PORT_CITIES)


def _shipments(most: int) -> list[int]:
    return [index for index in WAYS_OF[Action.SHIP] if len(_cities(index)) <= most]


def _with_loads(shipments: list[int]) -> list[tuple[int, tuple[int, ...]]]:
    return [(index, _loads(index)) for index in shipments]


SHIPMENTS = [_shipments(most) for most in range(SHIPS + 1)]  # by the most cloth that can go
LOADED_SHIPMENTS = [_with_loads(shipments) for shipments in SHIPMENTS]  # (index, loads) of each


def house_bit(place: int) -> int:
    """Return the bit that stands for a trade city (0-2) in a set of open houses."""
    return 1 << place


def _transports(open_houses: int, most: int) -> list[int]:
    """Return the transports of so much cloth at most to the cities of a set of open houses."""
    places = enumerate(TRADE_CITIES)
    open_cities = {city for place, city in places if open_houses & house_bit(place)}

    found = []
    for index in WAYS_OF[Action.TRANSPORT]:
        cities = _cities(index)
        if len(cities) <= most and open_cities.issuperset(cities):
            found.append(index)
    return found


def _transports_by_cloth(open_houses: int) -> list[list[int]]:
    return [_transports(open_houses, most) for most in range(len(TRADE_CITIES) + 1)]


_SETS_OF_HOUSES = range(1 << len(TRADE_CITIES))
TRANSPORTS = [  # by the set of open houses as bits, then by the most cloth that can go
    _transports_by_cloth(open_houses) for open_houses in _SETS_OF_HOUSES
]
