"""The duty of a placed disc: it may not serve only to draw cards (C15)."""

from collections.abc import Callable
from typing import NamedTuple

from domain.calimala.actions import open_houses, possible
from domain.calimala.agenda import Activation
from domain.calimala.components import (
    ACTIONS,
    CAPACITY,
    COSTS,
    ENDS,
    PORTS,
    RESOURCES,
    ROWS_OF_RESOURCE,
    SHIPS,
    TRADES,
    WORKSHOPS,
    Action,
    Project,
    Resource,
)
from domain.calimala.state import Player, State, street_actions


def reachable(state: State, player: Player, action: int) -> bool:
    """Return True if the action is possible now or after some plays from the hand (C15)."""
    if possible(state, player, action):
        return True
    return any(player.hand) and possible_with_cards(state, player, action)


def serves(state: State, player: Player, street: int) -> bool:
    """Return True if an action of the street is reachable, so a disc can do its duty (C15)."""
    cells = ENDS[street]
    one = state.grid[cells[0]]
    other = state.grid[cells[1]]
    if possible(state, player, one) or possible(state, player, other):
        return True

    if not any(player.hand):
        return False
    return possible_with_cards(state, player, one) or possible_with_cards(state, player, other)


def placeable(state: State, player: Player) -> list[int]:
    """Return the legal streets for a disc (C15).

    These are the streets with a reachable action, or all of them if there are none.
    """
    grid = state.grid
    in_reach: list[bool | None] = [None] * len(ACTIONS)  # by Action. None: not computed yet
    serving = []
    for street, cells in enumerate(ENDS):
        for cell in cells:
            action = grid[cell]
            is_reachable = in_reach[action]
            if is_reachable is None:
                is_reachable = reachable(state, player, action)
                in_reach[action] = is_reachable
            if is_reachable:
                serving.append(street)
                break

    return serving or list(range(len(ENDS)))


def forgoable(state: State, activation: Activation, which: int) -> bool:
    """Return True if one use of the street's action 0 or 1 may be given up (C15).

    This is forbidden only if the duty can be met now, and could not be met afterwards.
    """
    if not activation.duty or activation.left[which] > 1:
        return True

    player = state.players[activation.seat]
    actions = street_actions(state, activation.street)
    other = 1 - which
    other_left = activation.left[other]
    if other_left and reachable(state, player, actions[other]):
        return True

    # The other action is used up or out of reach. So this one must be out of reach, too.
    return not reachable(state, player, actions[which])


# ---- actions made possible by cards --------------------------------------------------------------

# Only the cards now in hand count. Cubes for wood and brick cards come from the reserve, and
# building returns two cubes there. So a reserve of two or more never hinders building. With a
# smaller one, something else may have to be built first.


# CPython 3.11 finds a name of the module faster than a member of an enum.
_WOOD, _BRICK, _MARBLE = RESOURCES
_BUILD, _ARTWORK, _WEAVE = Action.BUILD, Action.ARTWORK, Action.WEAVE
_SHIP, _TRANSPORT, _CONTRIBUTE = Action.SHIP, Action.TRANSPORT, Action.CONTRIBUTE


def possible_with_cards(state: State, player: Player, action: int) -> bool:
    """Return True if one or more plays from the hand can make the action possible."""
    return _WITH_CARDS[action](state, player)


# ---- building with cards ------------------------------------------------------------------------

# The kinds of things to build. A trade house in a city without room is a separate kind, because it
# serves no transport.
_NEW_SHIP, _NEW_WORKSHOP, _OPEN_HOUSE, _CLOSED_HOUSE = range(4)
_PRICES = (*COSTS, COSTS[Project.TRADE_HOUSE])

Free = tuple[int, ...]  # by kind, the number of things that can still be built


class Resources(NamedTuple):
    """The means of building: cubes in warehouses and reserve, and cards of the hand."""

    wood: int
    brick: int
    reserve: int
    wood_cards: int
    brick_cards: int
    build_cards: int


def _resources(player: Player) -> Resources:
    wood, brick, _ = player.stock
    hand = player.hand
    return Resources(wood, brick, player.reserve, hand[_WOOD], hand[_BRICK], hand[_BUILD])


def _can_get(state: State, player: Player, kind: int) -> bool:
    """Return True if cards can build a thing of the kind: build cards, helped by wood and brick."""
    return _can_come_to_build(kind, _free(state, player), _resources(player))


def _free(state: State, player: Player) -> Free:
    """Return by kind the number of things that the player can still build."""
    sites = zip(state.city_room[TRADES], player.houses, strict=True)
    room_at_sites = [room for room, built in sites if not built]
    closed_sites = room_at_sites.count(0)
    return (
        SHIPS - player.ships,
        WORKSHOPS - len(player.cloth),
        len(room_at_sites) - closed_sites,
        closed_sites,
    )


def _can_come_to_build(kind: int, free: Free, resources: Resources) -> bool:
    """Return True if the kind can be built, perhaps after other things that refill the reserve."""
    if not resources.build_cards or not free[kind]:
        return False
    if _after_building(kind, resources) is not None:
        return True
    if resources.reserve >= 2:
        return False

    for other, number in enumerate(free):
        resources_after = _after_building(other, resources) if number else None
        if resources_after is not None:
            free_after = _one_less(free, other)
            if _can_come_to_build(kind, free_after, resources_after):
                return True
    return False


def _one_less(free: Free, kind: int) -> Free:
    return (*free[:kind], free[kind] - 1, *free[kind + 1 :])


def _after_building(kind: int, resources: Resources) -> Resources | None:
    """Return the means after building with as few cards as possible. None: too few means."""
    wood_price, brick_price = _PRICES[kind]
    wood_gained = max(0, wood_price - resources.wood)
    brick_gained = max(0, brick_price - resources.brick)
    gained = wood_gained + brick_gained

    if wood_gained > resources.wood_cards or brick_gained > resources.brick_cards:
        return None
    if gained > resources.reserve:
        return None

    return Resources(
        wood=resources.wood + wood_gained - wood_price,
        brick=resources.brick + brick_gained - brick_price,
        reserve=resources.reserve - gained + wood_price + brick_price,
        wood_cards=resources.wood_cards - wood_gained,
        brick_cards=resources.brick_cards - brick_gained,
        build_cards=resources.build_cards - 1,
    )


# ---- help for several actions --------------------------------------------------------------------


def _can_refill(state: State, player: Player) -> bool:
    """Return True if the reserve holds a cube, or a build card can bring two back."""
    if player.reserve > 0:
        return True
    return player.hand[_BUILD] > 0 and possible(state, player, _BUILD)


def _can_give_away(state: State, player: Player, resource: int) -> bool:
    """Return True if a card can take a cube out of the warehouse, to contribute or as artwork."""
    hand = player.hand
    if hand[_CONTRIBUTE] and any(state.row_room[ROWS_OF_RESOURCE[resource]]):
        return True
    return resource == _MARBLE and hand[_ARTWORK] > 0 and any(state.artwork_room)


def _can_relieve_workshops(state: State, player: Player) -> bool:
    """Return True if cards can make room in full workshops, by a delivery or a new workshop."""
    hand = player.hand
    if hand[_SHIP] and any(state.city_room[PORTS]) and _has_ship(state, player):
        return True
    if hand[_TRANSPORT] and _has_open_house(state, player):
        return True
    return _can_get(state, player, _NEW_WORKSHOP)


def _has_ship(state: State, player: Player) -> bool:
    return player.ships > 0 or _can_get(state, player, _NEW_SHIP)


def _has_open_house(state: State, player: Player) -> bool:
    return open_houses(state, player) > 0 or _can_get(state, player, _OPEN_HOUSE)


def _has_cloth(state: State, player: Player) -> bool:
    if any(player.cloth):
        return True
    return player.hand[_WEAVE] > 0 and _can_refill(state, player)


# ---- the nine actions ----------------------------------------------------------------------------

Check = Callable[[State, Player], bool]


def _gain(resource: Resource, *built_with_it: int) -> Check:
    def gain(state: State, player: Player) -> bool:
        """Return True if the warehouse has or gets room, and the reserve has or gets a cube (C23).

        A contribution or an artwork makes room. A building makes room and refills the reserve.
        """
        if player.stock[resource] < CAPACITY or _can_give_away(state, player, resource):
            return _can_refill(state, player)
        return any(_can_get(state, player, kind) for kind in built_with_it)

    return gain


def _build(_state: State, player: Player) -> bool:
    """Return True if a ship, a workshop or a trade house can be built (C24).

    Wood and brick cards make up for missing cubes.
    """
    resources = _resources(player)
    sites = (
        (_NEW_SHIP, SHIPS - player.ships),
        (_NEW_WORKSHOP, WORKSHOPS - len(player.cloth)),
        (_OPEN_HOUSE, player.houses.count(0)),  # in a city with or without room
    )
    return any(number and _after_building(kind, resources) for kind, number in sites)


def _artwork(state: State, player: Player) -> bool:
    """Return True if a marble card can give the marble for an artwork (C25)."""
    if not player.hand[_MARBLE] or not any(state.artwork_room):
        return False
    return _can_refill(state, player)


def _weave(state: State, player: Player) -> bool:
    """Return True if a workshop has or gets room, and the reserve has or gets a cube (C26).

    A delivery of cloth or a new workshop makes room.
    """
    if min(player.cloth) == CAPACITY and not _can_relieve_workshops(state, player):
        return False
    return _can_refill(state, player)


def _ship(state: State, player: Player) -> bool:
    """Return True if a port has room, and the player has or can get cloth and a ship (C27)."""
    if not any(state.city_room[PORTS]):
        return False
    return _has_cloth(state, player) and _has_ship(state, player)


def _transport(state: State, player: Player) -> bool:
    """Return True if the player has or can get cloth and a trade house with room (C28)."""
    return _has_cloth(state, player) and _has_open_house(state, player)


def _contribute(state: State, player: Player) -> bool:
    """Return True if a wood, brick or marble card can give a cube for a row with room (C29)."""
    for resource, rows in enumerate(ROWS_OF_RESOURCE):
        if player.hand[resource] and any(state.row_room[rows]):
            return _can_refill(state, player)
    return False


_WITH_CARDS: tuple[Check, ...] = (  # by Action
    _gain(_WOOD, _NEW_SHIP, _NEW_WORKSHOP),
    _gain(_BRICK, _OPEN_HOUSE, _CLOSED_HOUSE, _NEW_WORKSHOP),
    _gain(_MARBLE),
    _build,
    _artwork,
    _weave,
    _ship,
    _transport,
    _contribute,
)
