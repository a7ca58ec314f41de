"""Whether an action can be carried out, and in which ways (C23-C29).

Bots ask this for every move they think of, so each answer is found without making anything anew.
"""

from collections.abc import Callable

from domain.calimala.components import (
    ACTIONS,
    CAPACITY,
    PORTS,
    RESOURCES,
    ROWS_OF_RESOURCE,
    SHIPS,
    TRADES,
    WORKSHOPS,
    Action,
    Resource,
    row_of,
)
from domain.calimala.state import Player, State
from domain.calimala.ways import (
    BUILD_HOUSE,
    BUILD_SHIP,
    BUILD_WORKSHOP,
    CONTRIBUTE,
    LOADED_SHIPMENTS,
    NO_WAY,
    SHIPMENTS,
    TRANSPORTS,
    WAYS_OF,
    Indexes,
    house_bit,
)

Check = Callable[[State, Player], bool]
Listing = Callable[[State, Player], Indexes]

_TROYES_BIT, _BRUGES_BIT, _HAMBURG_BIT = house_bit(0), house_bit(1), house_bit(2)


def possible(state: State, player: Player, action: int) -> bool:
    """Whether the player could carry the action out now, at least in part (C19)."""
    return _POSSIBLE[action](state, player)


def ways(state: State, player: Player, action: int) -> Indexes:
    """Return the indexes in WAYS of every way the player could carry the action out now."""
    return _WAYS[action](state, player)


# ---- wood, brick, marble -------------------------------------------------------------------------


def _can_gain(resource: Resource) -> Check:
    place = int(resource)

    def can_gain(_state: State, player: Player) -> bool:
        """A cube needs a reserve to come from and room in the warehouse (C23)."""
        return player.reserve > 0 and player.stock[place] < CAPACITY

    return can_gain


def _ways_to_gain(resource: Resource) -> Listing:
    can_gain = _can_gain(resource)
    only_way = WAYS_OF[resource]

    def ways_to_gain(state: State, player: Player) -> Indexes:
        return only_way if can_gain(state, player) else NO_WAY

    return ways_to_gain


# ---- build ---------------------------------------------------------------------------------------


def _can_build(_state: State, player: Player) -> bool:
    """One of the three must be payable and have a place (C24)."""
    wood, brick, _ = player.stock
    if wood >= 2 and player.ships < SHIPS:
        return True
    if wood and brick and len(player.cloth) < WORKSHOPS:
        return True
    return brick >= 2 and 0 in player.houses


def _ways_to_build(_state: State, player: Player) -> Indexes:
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
    """It takes marble and a free artwork slot (C25)."""
    return player.stock[2] > 0 and any(state.artwork_room)


def _ways_to_give_artwork(state: State, player: Player) -> Indexes:
    if not player.stock[2]:
        return NO_WAY
    slots = zip(_ARTWORKS, state.artwork_room, strict=True)
    return [index for index, room in slots if room]


_ARTWORKS = WAYS_OF[Action.ARTWORK]


# ---- weave ---------------------------------------------------------------------------------------


def _can_weave(_state: State, player: Player) -> bool:
    """It takes a cube in reserve and room in a workshop (C26)."""
    return player.reserve > 0 and min(player.cloth) < CAPACITY


def _ways_to_weave(state: State, player: Player) -> Indexes:
    return _WEAVING if _can_weave(state, player) else NO_WAY


_WEAVING = WAYS_OF[Action.WEAVE]


# ---- ship ----------------------------------------------------------------------------------------


def _can_ship(state: State, player: Player) -> bool:
    """It takes a ship, cloth and room in a port city (C27)."""
    return player.ships > 0 and any(player.cloth) and any(state.city_room[PORTS])


def _ways_to_ship(state: State, player: Player) -> Indexes:
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
    """Return the trade cities that have room and the player's house, as a set of bits (C28)."""
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
    """It takes cloth and an own trade house in a city with room (C28)."""
    return any(player.cloth) and open_houses(state, player) > 0


def _ways_to_transport(state: State, player: Player) -> Indexes:
    most_cloth = min(len(player.houses), sum(player.cloth))
    return TRANSPORTS[open_houses(state, player)][most_cloth]


# ---- contribute ----------------------------------------------------------------------------------


def _can_contribute(state: State, player: Player) -> bool:
    """It takes a warehouse cube that fits a free slot (C29)."""
    for cubes, rows in zip(player.stock, ROWS_OF_RESOURCE, strict=True):
        if cubes and any(state.row_room[rows]):
            return True
    return False


def _ways_to_contribute(state: State, player: Player) -> Indexes:
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
_WAYS: tuple[Listing, ...] = (
    *(_ways_to_gain(resource) for resource in RESOURCES),
    _ways_to_build,
    _ways_to_give_artwork,
    _ways_to_weave,
    _ways_to_ship,
    _ways_to_transport,
    _ways_to_contribute,
)
assert len(_POSSIBLE) == len(_WAYS) == len(ACTIONS)
