"""What an action changes when it is carried out, as an activation or as a card (C23-C30)."""

from domain.calimala.components import (
    COSTS,
    Action,
    Building,
    City,
    Project,
    row_of,
    trade_index,
)
from domain.calimala.events import ActionPerformed, CardPlayed
from domain.calimala.state import Player, State, one_more

Deed = ActionPerformed | CardPlayed

# To find a member in its class takes CPython 3.11 five times as long as a name of the module.
_PALAZZO_VECCHIO = Building.PALAZZO_VECCHIO
_SHIP = Project.SHIP
_MARBLE = int(Action.MARBLE)


def carry_out(state: State, event: Deed) -> None:
    """Change the state in place; which parameters the event has says what it does."""
    player = state.players[event.seat]
    if event.workshops is not None:
        _move_cloth(state, player, event)
    elif event.resource is not None:
        _contribute(state, player, event)
    elif event.building is not None:
        _give_artwork(state, player, event)
    elif event.build is not None:
        _build(player, event.build, event.city)
    else:
        player.stock[event.action] += 1
        player.reserve -= 1


def _move_cloth(state: State, player: Player, event: Deed) -> None:
    """Weave out of the reserve, or bring cloth to cities (C26-C28)."""
    before = sum(player.cloth)
    player.cloth = event.workshops or ()

    if event.cities is None:
        player.reserve -= sum(player.cloth) - before
        return

    for city in event.cities:
        state.cloth[city] = one_more(state.cloth[city], event.seat)
        state.city_room[city] -= 1


def _contribute(state: State, player: Player, event: Deed) -> None:
    """Give a cube for a row of slots (C29)."""
    assert event.building is not None
    assert event.resource is not None
    row = row_of(event.building, event.resource)
    player.stock[event.resource] -= 1
    state.contributed[row] = one_more(state.contributed[row], event.seat)
    state.row_room[row] -= 1


def _give_artwork(state: State, player: Player, event: Deed) -> None:
    """Give marble for an artwork; Palazzo Vecchio remembers by whom (C25, C37)."""
    assert event.building is not None
    building = event.building
    player.stock[_MARBLE] -= 1
    state.artworks[building] = one_more(state.artworks[building], event.seat)
    state.artwork_room[building] -= 1
    if building is _PALAZZO_VECCHIO:
        state.patrons = (*state.patrons, event.seat)


def _build(player: Player, project: Project, city: City | None) -> None:
    """Build for wood and brick, which return to the reserve (C24)."""
    wood, brick = COSTS[project]
    player.stock[0] -= wood
    player.stock[1] -= brick
    player.reserve += wood + brick

    if city is not None:
        player.houses[trade_index(city)] = 1
    elif project is _SHIP:
        player.ships += 1
    else:
        player.cloth = (*player.cloth, 0)
