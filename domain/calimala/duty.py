"""Which actions a player could come to carry out by playing cards first, for the duty of C15.

Everything here looks at the cards now in hand only. Cubes for wood and brick cards come from the reserve, and building
returns its two cubes there; so a reserve of two or more never stands in the way of building, and a smaller one only
calls for some other building before.
"""

from collections.abc import Callable

from domain.calimala.actions import open_houses, possible
from domain.calimala.agenda import Activation
from domain.calimala.components import CAPACITY, ENDS, RESOURCES, SHIPS, WORKSHOPS, Action
from domain.calimala.state import Player, State

_SHIP, _WORKSHOP, _OPEN_HOUSE, _HOUSE = range(4)
_COSTS = ((2, 0), (1, 1), (0, 2), (0, 2))


def reachable(state: State, player: Player, action: int) -> bool:
    """Whether some sequence of plays from the hand, maybe none, makes the action possible (C15)."""
    if possible(state, player, action):
        return True
    return any(player.hand) and _BY_CARDS[action](state, player)


def placeable(state: State, player: Player) -> list[int]:
    """Return the streets where a disc may be placed: those with a reachable action, or all if there are none (C15)."""
    could: list[bool | None] = [None] * len(Action)
    grid = state.grid
    result = []
    for street, (one, other) in enumerate(ENDS):
        for action in (grid[one], grid[other]):
            known = could[action]
            if known is None:
                known = could[action] = reachable(state, player, action)
            if known:
                result.append(street)
                break
    return result or list(range(len(ENDS)))


def serves(state: State, player: Player, street: int) -> bool:
    """Whether a disc there can do more than draw cards: one of the two actions is reachable (C15)."""
    one, other = ENDS[street]
    return reachable(state, player, state.grid[one]) or reachable(state, player, state.grid[other])


def forgoable(state: State, activation: Activation, which: int) -> bool:
    """Whether one activation of the street's first or second action may go unused: the duty stays in reach (C15)."""
    if not activation.duty or activation.left[which] > 1:
        return True
    player = state.players[activation.seat]
    ends = ENDS[activation.street]
    if activation.left[1 - which] and reachable(state, player, state.grid[ends[1 - which]]):
        return True
    return not reachable(state, player, state.grid[ends[which]])


# ---- building by cards -----------------------------------------------------------------------------------------------


def _can_get(state: State, player: Player, kind: int) -> bool:
    """Whether build cards, helped by wood and brick cards, can build one of the kind."""
    room = state.city_room[3:]
    sites = [place for place, house in zip(room, player.houses, strict=True) if not house]
    free = (
        SHIPS - player.ships,
        WORKSHOPS - len(player.cloth),
        sum(map(bool, sites)),
        sites.count(0),
    )
    wood, brick, _ = player.stock
    return _chain(
        kind,
        free,
        (wood, brick, player.reserve),
        tuple(player.hand[i] for i in (0, 1, Action.BUILD)),
    )


def _chain(
    kind: int, free: tuple[int, ...], cubes: tuple[int, int, int], cards: tuple[int, ...]
) -> bool:
    if not cards[2] or not free[kind]:
        return False
    if _payment(kind, cubes, cards) is not None:
        return True
    if cubes[2] >= 2:
        return False
    for other in range(len(_COSTS)):
        paid = _payment(other, cubes, cards) if free[other] else None
        if paid is not None:
            fewer = tuple(count - (place == other) for place, count in enumerate(free))
            if _chain(kind, fewer, *paid):
                return True
    return False


def _payment(
    kind: int, cubes: tuple[int, int, int], cards: tuple[int, ...]
) -> tuple[tuple[int, int, int], tuple[int, ...]] | None:
    """Return the cubes (wood, brick, reserve) and cards left after building with as few cards as can be, or None."""
    wood, brick, reserve = cubes
    costs = _COSTS[kind]
    gained = (max(0, costs[0] - wood), max(0, costs[1] - brick))
    if gained[0] > cards[0] or gained[1] > cards[1] or sum(gained) > reserve:
        return None
    after = (wood + gained[0] - costs[0], brick + gained[1] - costs[1], reserve - sum(gained) + 2)
    return after, (cards[0] - gained[0], cards[1] - gained[1], cards[2] - 1)


def _can_refill(state: State, player: Player) -> bool:
    """Whether the reserve holds a cube, or a build card can bring two back."""
    return player.reserve > 0 or (
        player.hand[Action.BUILD] > 0 and possible(state, player, Action.BUILD)
    )


# ---- the nine actions ------------------------------------------------------------------------------------------------


def _gain(resource: int, *kinds: int) -> Callable[[State, Player], bool]:
    def by_cards(state: State, player: Player) -> bool:
        """A full warehouse is relieved by a contribution or by building; then the reserve must give a cube (C23)."""
        if player.stock[resource] < CAPACITY or _can_give_away(state, player, resource):
            return _can_refill(state, player)
        return any(_can_get(state, player, kind) for kind in kinds)

    return by_cards


def _can_give_away(state: State, player: Player, resource: int) -> bool:
    hand = player.hand
    if hand[Action.CONTRIBUTE] and any(state.row_room[resource::3]):
        return True
    return bool(resource == Action.MARBLE and hand[Action.ARTWORK] and any(state.artwork_room))


def _build(_state: State, player: Player) -> bool:
    """Wood and brick cards make up what is missing (C24)."""
    free = (SHIPS - player.ships, WORKSHOPS - len(player.cloth), player.houses.count(0))
    wood, brick, _ = player.stock
    cubes, cards = (wood, brick, player.reserve), (player.hand[0], player.hand[1], 1)
    return any(count and _payment(kind, cubes, cards) for kind, count in enumerate(free))


def _artwork(state: State, player: Player) -> bool:
    """A marble card gives the marble (C25)."""
    return player.hand[Action.MARBLE] > 0 and any(state.artwork_room) and _can_refill(state, player)


def _weave(state: State, player: Player) -> bool:
    """Full workshops are relieved by delivering cloth or by one more workshop (C26)."""
    if min(player.cloth) == CAPACITY and not _can_relieve_workshops(state, player):
        return False
    return _can_refill(state, player)


def _can_relieve_workshops(state: State, player: Player) -> bool:
    hand = player.hand
    if hand[Action.SHIP] and any(state.city_room[:3]) and _has_ship(state, player):
        return True
    if hand[Action.TRANSPORT] and _has_open_house(state, player):
        return True
    return _can_get(state, player, _WORKSHOP)


def _ship(state: State, player: Player) -> bool:
    """A missing ship is built, missing cloth is woven (C27)."""
    return any(state.city_room[:3]) and _has_cloth(state, player) and _has_ship(state, player)


def _transport(state: State, player: Player) -> bool:
    """A missing trade house is built, missing cloth is woven (C28)."""
    return _has_cloth(state, player) and _has_open_house(state, player)


def _has_ship(state: State, player: Player) -> bool:
    return player.ships > 0 or _can_get(state, player, _SHIP)


def _has_open_house(state: State, player: Player) -> bool:
    return open_houses(state, player) > 0 or _can_get(state, player, _OPEN_HOUSE)


def _has_cloth(state: State, player: Player) -> bool:
    return any(player.cloth) or (player.hand[Action.WEAVE] > 0 and _can_refill(state, player))


def _contribute(state: State, player: Player) -> bool:
    """A wood, brick or marble card gives a cube that fits (C29)."""
    gains = any(
        player.hand[resource] and any(state.row_room[resource::3]) for resource in RESOURCES
    )
    return gains and _can_refill(state, player)


_BY_CARDS: tuple[Callable[[State, Player], bool], ...] = (
    _gain(0, _SHIP, _WORKSHOP),
    _gain(1, _OPEN_HOUSE, _HOUSE, _WORKSHOP),
    _gain(2),
    _build,
    _artwork,
    _weave,
    _ship,
    _transport,
    _contribute,
)
