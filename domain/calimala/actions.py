"""What the nine actions need, the ways to carry them out, and the cloth they leave behind (C23-C30)."""

from collections.abc import Callable, Sequence

from domain.calimala.components import (
    CAPACITY,
    PORT_CITIES,
    SHIPS,
    WAYS,
    WORKSHOPS,
    Action,
    Project,
    Way,
)
from domain.calimala.state import Player, State

Indexes = Sequence[int]

_NONE: Indexes = ()
_INDEX = {way: index for index, way in enumerate(WAYS)}
_OF = [[index for index, way in enumerate(WAYS) if way.action == action] for action in Action]
_WORKSHOP = _INDEX[Way(Action.BUILD, build=Project.WORKSHOP)]
_SHIP = _INDEX[Way(Action.BUILD, build=Project.SHIP)]
_HOUSES = [index for index in _OF[Action.BUILD] if WAYS[index].city is not None]
_CITIES_OF = {index: way.cities for index, way in enumerate(WAYS) if way.cities is not None}
_SHIPMENTS = [
    (index, [_CITIES_OF[index].count(city) for city in PORT_CITIES]) for index in _OF[Action.SHIP]
]
_SHIPMENTS_UP_TO = [
    [index for index, loads in _SHIPMENTS if sum(loads) <= most] for most in range(SHIPS + 1)
]
_TRANSPORTS = [  # by the open houses as bits, then by the cloth at hand
    [
        [
            index
            for index in _OF[Action.TRANSPORT]
            if len(_CITIES_OF[index]) <= most
            and all(bits >> (city - 3) & 1 for city in _CITIES_OF[index])
        ]
        for most in range(4)
    ]
    for bits in range(8)
]


def index_of(way: Way) -> int | None:
    """Return the index of a way in WAYS, its cities in any order; None if there is no such way."""
    if way.cities is not None:
        way = way._replace(cities=tuple(sorted(way.cities)))
    return _INDEX.get(way)


# ---- whether an action can be carried out ----------------------------------------------------------------------------


def can_gain(player: Player, resource: int) -> bool:
    """A cube needs a reserve to come from and room in the warehouse (C23)."""
    return player.reserve > 0 and player.stock[resource] < CAPACITY


def _can_build(_state: State, player: Player) -> bool:
    """One of the three must be payable and have a place (C24)."""
    wood, brick, _ = player.stock
    return bool(
        (wood >= 2 and player.ships < SHIPS)
        or (wood and brick and len(player.cloth) < WORKSHOPS)
        or (brick >= 2 and 0 in player.houses)
    )


def _can_give_artwork(state: State, player: Player) -> bool:
    """It takes marble and a free artwork slot (C25)."""
    return player.stock[2] > 0 and any(state.artwork_room)


def _can_weave(_state: State, player: Player) -> bool:
    """It takes a cube in reserve and room in a workshop (C26)."""
    return player.reserve > 0 and min(player.cloth) < CAPACITY


def _can_ship(state: State, player: Player) -> bool:
    """It takes a ship, cloth and room in a port city (C27)."""
    return player.ships > 0 and any(player.cloth) and any(state.city_room[:3])


def _can_transport(state: State, player: Player) -> bool:
    """It takes cloth and an own trade house in a city with room (C28)."""
    return any(player.cloth) and open_houses(state, player) > 0


def _can_contribute(state: State, player: Player) -> bool:
    """It takes a warehouse cube that fits a free slot (C29)."""
    room = state.row_room
    return any(cubes and any(room[resource::3]) for resource, cubes in enumerate(player.stock))


_CAN: tuple[Callable[[State, Player], bool], ...] = (
    lambda _state, player: can_gain(player, 0),
    lambda _state, player: can_gain(player, 1),
    lambda _state, player: can_gain(player, 2),
    _can_build,
    _can_give_artwork,
    _can_weave,
    _can_ship,
    _can_transport,
    _can_contribute,
)


def possible(state: State, player: Player, action: int) -> bool:
    """Whether the player could carry the action out now, at least in part (C19)."""
    return _CAN[action](state, player)


def open_houses(state: State, player: Player) -> int:
    """Return the trade cities that have room and the player's house, as bits 0..2 (C28)."""
    room, houses = state.city_room, player.houses
    return (
        (1 if houses[0] and room[3] else 0)
        | (2 if houses[1] and room[4] else 0)
        | (4 if houses[2] and room[5] else 0)
    )


# ---- the ways to carry it out, as indexes into WAYS ------------------------------------------------------------------


def _ways_to_build(_state: State, player: Player) -> Indexes:
    wood, brick, _ = player.stock
    result = []
    if wood >= 2 and player.ships < SHIPS:
        result.append(_SHIP)
    if wood and brick and len(player.cloth) < WORKSHOPS:
        result.append(_WORKSHOP)
    if brick >= 2:
        result += [index for index, house in zip(_HOUSES, player.houses, strict=True) if not house]
    return result


def _ways_to_give_artwork(state: State, player: Player) -> Indexes:
    if not player.stock[2]:
        return _NONE
    return [
        index for index, room in zip(_OF[Action.ARTWORK], state.artwork_room, strict=True) if room
    ]


def _ways_to_ship(state: State, player: Player) -> Indexes:
    most = min(player.ships, sum(player.cloth))
    a, b, c, *_ = state.city_room
    if a >= most and b >= most and c >= most:
        return _SHIPMENTS_UP_TO[most]
    return [
        i
        for i, (x, y, z) in _SHIPMENTS[: len(_SHIPMENTS_UP_TO[most])]
        if x <= a and y <= b and z <= c
    ]


def _ways_to_transport(state: State, player: Player) -> Indexes:
    return _TRANSPORTS[open_houses(state, player)][min(3, sum(player.cloth))]


def _ways_to_contribute(state: State, player: Player) -> Indexes:
    room, stock = state.row_room, player.stock
    first = _OF[Action.CONTRIBUTE][0]
    return [
        first + 3 * resource + building
        for resource in range(3)
        if stock[resource]
        for building in range(3)
        if room[3 * building + resource]
    ]


_WAYS: tuple[Callable[[State, Player], Indexes], ...] = (
    lambda _state, player: _OF[0] if can_gain(player, 0) else _NONE,
    lambda _state, player: _OF[1] if can_gain(player, 1) else _NONE,
    lambda _state, player: _OF[2] if can_gain(player, 2) else _NONE,
    _ways_to_build,
    _ways_to_give_artwork,
    lambda state, player: _OF[Action.WEAVE] if _can_weave(state, player) else _NONE,
    _ways_to_ship,
    _ways_to_transport,
    _ways_to_contribute,
)


def ways(state: State, player: Player, action: int) -> Indexes:
    """Return the indexes in WAYS of every way the player could carry the action out now; none if he cannot."""
    return _WAYS[action](state, player)


# ---- cloth -----------------------------------------------------------------------------------------------------------


def woven(player: Player) -> tuple[int, ...]:
    """Return the workshops after weaving: one cube each while the reserve lasts, the emptiest first (C26)."""
    cloth = player.cloth[:]
    takers = sorted((i for i, cubes in enumerate(cloth) if cubes < CAPACITY), key=cloth.__getitem__)
    for index in takers[: player.reserve]:
        cloth[index] += 1
    return tuple(cloth)


def taken_out(player: Player, count: int) -> tuple[int, ...]:
    """Return the workshops after so many cloth have left, each from the fullest (C30)."""
    cloth = player.cloth[:]
    for _ in range(count):
        cloth[cloth.index(max(cloth))] -= 1
    return tuple(cloth)


def workshops_after(
    player: Player, action: Action, cities: tuple[int, ...] | None
) -> tuple[int, ...] | None:
    """Return the cloth in each workshop after the action, or None if it leaves them alone."""
    if cities is not None:
        return taken_out(player, len(cities))
    return woven(player) if action is Action.WEAVE else None
