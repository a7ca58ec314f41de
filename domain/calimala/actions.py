"""The nine actions: all choices of parameters, and the legal ones of a player (C23-C29).

Bots list the choices of many positions. So choices and commands are made once and looked up.
"""

from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

from domain.calimala import commands
from domain.calimala.components import (
    ACTIONS,
    BUILDINGS,
    BUILDINGS_UNDER_CONSTRUCTION,
    CAPACITY,
    DISCS,
    PORT_CITIES,
    PORTS,
    RESOURCES,
    ROWS_OF_RESOURCE,
    SEATS,
    SHIPS,
    STREETS,
    TRADE_CITIES,
    TRADES,
    WORKSHOPS,
    Action,
    Building,
    City,
    Project,
    Resource,
    Street,
    row_of,
)
from domain.calimala.state import Player, State

Indexes = Sequence[int]
Check = Callable[[State, Player], bool]
Listing = Callable[[State, Player], Indexes]


def possible(state: State, player: Player, action: int) -> bool:
    """Return True if the player could carry the action out now, at least in part (C19)."""
    return _POSSIBLE[action](state, player)


def choices(state: State, player: Player, action: int) -> Indexes:
    """Return the player's legal choices for the action now, as indexes in CHOICES."""
    return _CHOICES[action](state, player)


# ---- all choices, by their index in CHOICES ------------------------------------------------------


class Choice(NamedTuple):
    """An action with its parameters (C23-C29)."""

    action: Action
    build: Project | None = None
    city: City | None = None
    building: Building | None = None
    resource: Resource | None = None
    cities: tuple[City, ...] | None = None


CHOICES = (
    *(Choice(action) for action in (Action.WOOD, Action.BRICK, Action.MARBLE)),
    Choice(Action.BUILD, build=Project.SHIP),
    Choice(Action.BUILD, build=Project.WORKSHOP),
    *(Choice(Action.BUILD, build=Project.TRADE_HOUSE, city=city) for city in TRADE_CITIES),
    *(Choice(Action.ARTWORK, building=building) for building in BUILDINGS),
    Choice(Action.WEAVE),
    *(
        Choice(Action.SHIP, cities=cities)
        for size in (1, 2, 3)
        for cities in combinations_with_replacement(PORT_CITIES, size)
    ),
    *(
        Choice(Action.TRANSPORT, cities=cities)
        for size in (1, 2, 3)
        for cities in combinations(TRADE_CITIES, size)
    ),
    *(
        Choice(Action.CONTRIBUTE, resource=resource, building=building)
        for resource in RESOURCES
        for building in BUILDINGS_UNDER_CONSTRUCTION
    ),
)
_INDEX: dict[tuple[object, ...], int] = {choice: index for index, choice in enumerate(CHOICES)}
NO_INDEX = -1


def index_of(command: commands.Perform | commands.PlayCard) -> int:
    """Return the index of a command's choice in CHOICES, NO_INDEX if there is no such choice.

    The order of the cities does not matter.
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


# ---- choices by the means of a player ------------------------------------------------------------

NO_CHOICES: Indexes = ()


def _choices_of(action: Action) -> list[int]:
    return [index for index, choice in enumerate(CHOICES) if choice.action is action]


CHOICES_OF = tuple(_choices_of(action) for action in ACTIONS)  # by Action


def _house_in(city: City) -> int:
    return _INDEX[Choice(Action.BUILD, build=Project.TRADE_HOUSE, city=city)]


BUILD_SHIP = _INDEX[Choice(Action.BUILD, build=Project.SHIP)]
BUILD_WORKSHOP = _INDEX[Choice(Action.BUILD, build=Project.WORKSHOP)]
BUILD_HOUSE = [_house_in(city) for city in TRADE_CITIES]  # by trade city


def _contributions(resource: Resource) -> list[int]:
    contributions = CHOICES_OF[Action.CONTRIBUTE]
    return [index for index in contributions if CHOICES[index].resource is resource]


CONTRIBUTE = [_contributions(resource) for resource in RESOURCES]  # then by building


def _cities(index: int) -> tuple[City, ...]:
    return CHOICES[index].cities or ()


def _loads(index: int) -> tuple[int, ...]:
    """Return the cloth of a shipment by port city."""
    return tuple(_cities(index).count(city) for city in PORT_CITIES)


def _shipments(most: int) -> list[int]:
    return [index for index in CHOICES_OF[Action.SHIP] if len(_cities(index)) <= most]


def _with_loads(shipments: list[int]) -> list[tuple[int, tuple[int, ...]]]:
    return [(index, _loads(index)) for index in shipments]


SHIPMENTS = [_shipments(most) for most in range(SHIPS + 1)]  # by the largest load
LOADED_SHIPMENTS = [_with_loads(shipments) for shipments in SHIPMENTS]  # (index, loads) of each


def house_bit(place: int) -> int:
    """Return the bit of a trade city (0-2) in a set of open houses."""
    return 1 << place


def _transports(open_houses: int, most: int) -> list[int]:
    """Return the transports of at most `most` cloth to cities in a set of open houses."""
    places = enumerate(TRADE_CITIES)
    open_cities = {city for place, city in places if open_houses & house_bit(place)}

    indexes = []
    for index in CHOICES_OF[Action.TRANSPORT]:
        cities = _cities(index)
        if len(cities) <= most and open_cities.issuperset(cities):
            indexes.append(index)
    return indexes


def _transports_by_cloth(open_houses: int) -> list[list[int]]:
    return [_transports(open_houses, most) for most in range(len(TRADE_CITIES) + 1)]


_SETS_OF_HOUSES = range(1 << len(TRADE_CITIES))
TRANSPORTS = [  # by the set of open houses as bits, then by the largest load
    _transports_by_cloth(open_houses) for open_houses in _SETS_OF_HOUSES
]


_TROYES_BIT, _BRUGES_BIT, _HAMBURG_BIT = house_bit(0), house_bit(1), house_bit(2)


# ---- wood, brick, marble -------------------------------------------------------------------------


def _can_gain(resource: Resource) -> Check:
    place = int(resource)

    def can_gain(_state: State, player: Player) -> bool:
        """Return True if the reserve has a cube and the warehouse has room (C23)."""
        return player.reserve > 0 and player.stock[place] < CAPACITY

    return can_gain


def _gaining(resource: Resource) -> Listing:
    can_gain = _can_gain(resource)
    only_choice = CHOICES_OF[resource]

    def gaining(state: State, player: Player) -> Indexes:
        return only_choice if can_gain(state, player) else NO_CHOICES

    return gaining


# ---- build ---------------------------------------------------------------------------------------


def _can_build(_state: State, player: Player) -> bool:
    """Return True if a ship, a workshop or a trade house can be paid and placed (C24)."""
    wood, brick, _ = player.stock
    if wood >= 2 and player.ships < SHIPS:
        return True
    if wood and brick and len(player.cloth) < WORKSHOPS:
        return True
    return brick >= 2 and 0 in player.houses


def _building(_state: State, player: Player) -> Indexes:
    wood, brick, _ = player.stock
    indexes = []
    if wood >= 2 and player.ships < SHIPS:
        indexes.append(BUILD_SHIP)
    if wood and brick and len(player.cloth) < WORKSHOPS:
        indexes.append(BUILD_WORKSHOP)

    if brick >= 2:
        houses = zip(BUILD_HOUSE, player.houses, strict=True)
        indexes += [index for index, built in houses if not built]
    return indexes


# ---- artwork -------------------------------------------------------------------------------------


def _can_give_artwork(state: State, player: Player) -> bool:
    """Return True if there is marble and a free artwork slot (C25)."""
    return player.stock[2] > 0 and any(state.artwork_room)


def _giving_artwork(state: State, player: Player) -> Indexes:
    if not player.stock[2]:
        return NO_CHOICES
    slots = zip(_ARTWORKS, state.artwork_room, strict=True)
    return [index for index, room in slots if room]


_ARTWORKS = CHOICES_OF[Action.ARTWORK]


# ---- weave ---------------------------------------------------------------------------------------


def _can_weave(_state: State, player: Player) -> bool:
    """Return True if the reserve has a cube and a workshop has room (C26)."""
    return player.reserve > 0 and min(player.cloth) < CAPACITY


def _weaving_choices(state: State, player: Player) -> Indexes:
    return _WEAVING if _can_weave(state, player) else NO_CHOICES


_WEAVING = CHOICES_OF[Action.WEAVE]


# ---- ship ----------------------------------------------------------------------------------------


def _can_ship(state: State, player: Player) -> bool:
    """Return True if there is a ship, cloth, and room in a port city (C27)."""
    return player.ships > 0 and any(player.cloth) and any(state.city_room[PORTS])


def _shipping(state: State, player: Player) -> Indexes:
    most_cloth = min(player.ships, sum(player.cloth))
    barcelona, lisbon, london = state.city_room[PORTS]
    if min(barcelona, lisbon, london) >= most_cloth:
        return SHIPMENTS[most_cloth]

    return [
        index
        for index, (to_barcelona, to_lisbon, to_london) in LOADED_SHIPMENTS[most_cloth]
        if to_barcelona <= barcelona and to_lisbon <= lisbon and to_london <= london
    ]


# ---- transport -----------------------------------------------------------------------------------


def open_houses(state: State, player: Player) -> int:
    """Return the trade cities with room and a house of the player, as a set of bits (C28)."""
    in_troyes, in_bruges, in_hamburg = player.houses
    troyes_room, bruges_room, hamburg_room = state.city_room[TRADES]
    open_bits = 0
    if in_troyes and troyes_room:
        open_bits |= _TROYES_BIT
    if in_bruges and bruges_room:
        open_bits |= _BRUGES_BIT
    if in_hamburg and hamburg_room:
        open_bits |= _HAMBURG_BIT
    return open_bits


def _can_transport(state: State, player: Player) -> bool:
    """Return True if there is cloth, and an own trade house in a city with room (C28)."""
    return any(player.cloth) and open_houses(state, player) > 0


def _transporting(state: State, player: Player) -> Indexes:
    most_cloth = min(len(player.houses), sum(player.cloth))
    return TRANSPORTS[open_houses(state, player)][most_cloth]


# ---- contribute ----------------------------------------------------------------------------------


def _can_contribute(state: State, player: Player) -> bool:
    """Return True if a warehouse cube fits a free slot (C29)."""
    for cubes, rows in zip(player.stock, ROWS_OF_RESOURCE, strict=True):
        if cubes and any(state.row_room[rows]):
            return True
    return False


def _contributing(state: State, player: Player) -> Indexes:
    room = state.row_room
    indexes = []
    for resource, cubes in enumerate(player.stock):
        if not cubes:
            continue
        for building, index in enumerate(CONTRIBUTE[resource]):
            row = row_of(building, resource)
            if room[row]:
                indexes.append(index)
    return indexes


# ---- by action -----------------------------------------------------------------------------------

_POSSIBLE: tuple[Check, ...] = (
    *(_can_gain(resource) for resource in RESOURCES),
    _can_build,
    _can_give_artwork,
    _can_weave,
    _can_ship,
    _can_transport,
    _can_contribute,
)
_CHOICES: tuple[Listing, ...] = (
    *(_gaining(resource) for resource in RESOURCES),
    _building,
    _giving_artwork,
    _weaving_choices,
    _shipping,
    _transporting,
    _contributing,
)
assert len(_POSSIBLE) == len(_CHOICES) == len(ACTIONS)


# ---- commands, made once and handed out again ----------------------------------------------------


class Prepared(NamedTuple):
    """The commands of one seat.

    place_disc: by Street, then by Disc. perform, play_card: by index in CHOICES.
    compensate, skip: by Action.
    """

    place_disc: list[list[commands.PlaceDisc]]
    perform: list[commands.Perform]
    play_card: list[commands.PlayCard]
    compensate: list[commands.Compensate]
    skip: list[commands.Skip]
    end_activation: commands.EndActivation


def _prepared(seat: int) -> Prepared:
    return Prepared(
        place_disc=[_placements(seat, street) for street in STREETS],
        perform=[commands.Perform(seat, *choice) for choice in CHOICES],
        play_card=[commands.PlayCard(seat, *choice) for choice in CHOICES],
        compensate=[commands.Compensate(seat, action) for action in ACTIONS],
        skip=[commands.Skip(seat, action) for action in ACTIONS],
        end_activation=commands.EndActivation(seat),
    )


def _placements(seat: int, street: Street) -> list[commands.PlaceDisc]:
    return [commands.PlaceDisc(seat, street, disc) for disc in DISCS]


PREPARED = tuple(_prepared(seat) for seat in range(max(SEATS)))  # by seat
