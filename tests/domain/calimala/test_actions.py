"""The nine actions and their parameters (C23-C30)."""

from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from domain.calimala.actions import possible
from domain.calimala.components import PORT_CITIES, Action, Building, City, Resource, Street, row_of
from domain.calimala.state import State
from tests.domain.calimala.table import (
    actions_of,
    activate,
    deliver,
    give,
    legal,
    perform,
    refused,
    table,
)

# ---- a seat at its action: what the tests of the nine actions begin with -------------------------


STREET_OF = {
    "wood": Street.S03,
    "brick": Street.S03,
    "marble": Street.S67,
    "weave": Street.S67,
    "build": Street.S25,
    "ship": Street.S25,
    "artwork": Street.S14,
    "contribute": Street.S14,
    "transport": Street.S78,
}
Parameters = dict[str, Any]


def activating(action: str) -> State:
    """Return a table where seat 1, which has nothing, activates the action's street twice."""
    state = table()
    activate(state, 1, STREET_OF[action], times=2)
    return state


def legal_ways(state: State, action: str) -> list[Parameters]:
    """Return the parameters with which seat 1 may perform the action."""
    ways = [move for move in legal(state, 1, "perform") if move["action"] == action]
    for way in ways:
        del way["action"]
    return ways


def compensable(state: State, action: str) -> bool:
    """Whether seat 1 may draw a card for the action."""
    return action in actions_of(legal(state, 1, "compensate"))


def why_refused(state: State, action: str, **parameters: Any) -> str:
    """Return the rule and code with which seat 1 is refused to perform the action."""
    return refused(state, "perform", 1, action=action, **parameters)


# ---- wood, brick, marble -------------------------------------------------------------------------

GOODS = [pytest.param(name, id=f"C23-{name}") for name in ("wood", "brick", "marble")]


@pytest.mark.parametrize("name", GOODS)
def test_a_full_warehouse_takes_no_more(name: str) -> None:
    """C23, C9: four cubes fit, and then the action is impossible."""
    state = activating(name)
    give(state, 1, **{name: 3})
    perform(state, 1, name)
    assert why_refused(state, name) == "C23 action_impossible"
    assert compensable(state, name)


@pytest.mark.parametrize("name", GOODS)
def test_an_empty_reserve_gives_no_good(name: str) -> None:
    """C23: all 40 cubes are in play."""
    state = activating(name)
    state.players[1].reserve = 0
    assert why_refused(state, name) == "C23 action_impossible"
    assert compensable(state, name)


# ---- build ---------------------------------------------------------------------------------------

SHIP: Parameters = {"build": "ship"}
WORKSHOP: Parameters = {"build": "workshop"}
HOUSES: list[Parameters] = [
    {"build": "trade_house", "city": "troyes"},
    {"build": "trade_house", "city": "bruges"},
    {"build": "trade_house", "city": "hamburg"},
]

PAYMENTS = [
    pytest.param(0, 0, [], id="C24-nothing"),
    pytest.param(1, 0, [], id="C24-one-wood"),
    pytest.param(0, 1, [], id="C24-one-brick"),
    pytest.param(2, 0, [SHIP], id="C24-ship"),
    pytest.param(1, 1, [WORKSHOP], id="C24-workshop"),
    pytest.param(0, 2, HOUSES, id="C24-trade-house"),
    pytest.param(2, 2, [SHIP, WORKSHOP, *HOUSES], id="C24-all"),
]


@pytest.mark.parametrize(("wood", "brick", "expected"), PAYMENTS)
def test_what_can_be_built(wood: int, brick: int, expected: list[Parameters]) -> None:
    """C24: what can be paid; impossible only if none of the three can."""
    state = activating("build")
    give(state, 1, wood=wood, brick=brick)
    assert legal_ways(state, "build") == expected
    assert compensable(state, "build") == (not expected)


USED_UP = [
    pytest.param({"ships": 3}, [SHIP], id="C9-three-ships"),
    pytest.param({"cloth": (0, 0, 0)}, [WORKSHOP], id="C9-three-workshops"),
    pytest.param({"houses": [0, 1, 0]}, [HOUSES[1]], id="C24-one-house-a-city"),
    pytest.param({"houses": [1, 1, 1]}, HOUSES, id="C9-three-houses"),
]


@pytest.mark.parametrize(("owned", "gone"), USED_UP)
def test_what_is_used_up_cannot_be_built(owned: dict[str, Any], gone: list[Parameters]) -> None:
    """C9, C24: three of each, one trade house in a city."""
    state = activating("build")
    give(state, 1, wood=2, brick=2)
    for name, value in owned.items():
        setattr(state.players[1], name, value)

    for way in gone:
        assert way not in legal_ways(state, "build")
        assert why_refused(state, "build", **way) == "C24 no_such_way"


# ---- weave ---------------------------------------------------------------------------------------

WEAVINGS = [
    pytest.param([0], 40, [1], id="C26-one-workshop"),
    pytest.param([0, 2, 3], 40, [1, 3, 4], id="C26-each-workshop"),
    pytest.param([4, 1], 40, [4, 2], id="C26-a-full-one-takes-none"),
    pytest.param([3, 0, 1], 2, [3, 1, 2], id="C26-the-fullest-goes-without"),
    pytest.param([2, 2, 2], 1, [3, 2, 2], id="C26-equal-ones-are-alike"),
]


@pytest.mark.parametrize(("cloth", "reserve", "cloth_after"), WEAVINGS)
def test_weaving(cloth: list[int], reserve: int, cloth_after: list[int]) -> None:
    """C26: one cube to each own workshop with room, as far as the reserve goes."""
    state = activating("weave")
    player = state.players[1]
    player.cloth = tuple(cloth)
    player.reserve = reserve

    (performed, *_) = perform(state, 1, "weave")
    assert list(performed.workshops) == cloth_after
    assert player.cloth == performed.workshops
    assert player.reserve == reserve - (sum(cloth_after) - sum(cloth))


IMPOSSIBLE_WEAVINGS = [
    pytest.param([4, 4], 40, id="C26-all-full"),
    pytest.param([0], 0, id="C26-no-reserve"),
]


@pytest.mark.parametrize(("cloth", "reserve"), IMPOSSIBLE_WEAVINGS)
def test_weaving_is_impossible(cloth: list[int], reserve: int) -> None:
    """C26: only with every own workshop full, or without a cube."""
    state = activating("weave")
    state.players[1].cloth = tuple(cloth)
    state.players[1].reserve = reserve
    assert why_refused(state, "weave") == "C26 action_impossible"
    assert compensable(state, "weave")


# ---- ship ----------------------------------------------------------------------------------------


def with_ships(ships: int, cloth: int) -> State:
    """Return a table where seat 1 has ships and cloth, and ship is activated."""
    state = activating("ship")
    state.players[1].ships = ships
    give(state, 1, cloth=cloth)
    return state


def with_crowded_ports() -> State:
    """Return a table where Barcelona is full and Lisbon takes two more; seat 1 has three ships."""
    state = with_ships(3, 4)
    deliver(state, City.BARCELONA, 6, 0, 6)
    deliver(state, City.LISBON, 10)
    return state


WRONG_SHIPMENTS = [
    pytest.param(["lisbon", "lisbon", "lisbon"], id="C27-more-than-room"),
    pytest.param(["barcelona"], id="C27-full-city"),
    pytest.param(["troyes"], id="C27-not-a-port"),
    pytest.param([], id="C27-none"),
    pytest.param(["london"] * 4, id="C27-more-than-ships"),
]


@pytest.mark.parametrize("cities", WRONG_SHIPMENTS)
def test_shipments_need_room(cities: list[str]) -> None:
    """C27, C7: a city takes twelve cloth in all."""
    assert why_refused(with_crowded_ports(), "ship", cities=cities) == "C27 no_such_way"


@pytest.mark.parametrize("ships", [1, 2, 3])
def test_shipments_fit_whatever_room_the_ports_have(ships: int) -> None:
    """C27: of all shipments those that no port is too full for, and they alone."""
    for rooms in product((0, 1, 2, 12), repeat=3):
        state = with_ships(ships, 4)
        room_in = dict(zip(PORT_CITIES, rooms, strict=True))
        for port, room in room_in.items():
            state.city_room[port] = room

        fitting = [
            {"cities": [port.wire for port in ports]}
            for size in range(1, ships + 1)
            for ports in combinations_with_replacement(PORT_CITIES, size)
            if all(ports.count(port) <= room for port, room in room_in.items())
        ]
        assert legal_ways(state, "ship") == fitting, rooms
        assert possible(state, state.players[1], Action.SHIP) == bool(fitting), rooms
        assert compensable(state, "ship") == (not fitting), rooms


def test_cities_may_be_named_in_any_order() -> None:
    """C27: the order of a shipment means nothing; the event holds it sorted."""
    state = with_ships(3, 3)
    (performed, *_) = perform(state, 1, "ship", cities=["london", "barcelona", "london"])
    assert performed.cities == (City.BARCELONA, City.LONDON, City.LONDON)
    assert [state.cloth[city][1] for city in City] == [1, 0, 2, 0, 0, 0]
    assert state.city_room == [11, 12, 10, 12, 12, 12]


def test_cloth_leaves_the_fullest_workshop_first() -> None:
    """C30: one by one, always from the workshop that then holds most."""
    state = activating("ship")
    player = state.players[1]
    player.ships = 3
    player.cloth = (1, 4, 3)

    to_lisbon = ["lisbon"] * 3
    (performed, *_) = perform(state, 1, "ship", cities=to_lisbon)

    assert performed.workshops == (1, 2, 2)
    assert player.cloth == (1, 2, 2)


# ---- transport -----------------------------------------------------------------------------------


def with_houses(houses: list[int], cloth: int) -> State:
    """Return a table where seat 1 has trade houses and cloth, and transport is activated."""
    state = activating("transport")
    state.players[1].houses = houses
    give(state, 1, cloth=cloth)
    return state


TRANSPORTS = [
    pytest.param([0, 0, 0], 4, [], id="C28-no-house"),
    pytest.param([1, 0, 1], 0, [], id="C28-no-cloth"),
    pytest.param([0, 1, 0], 4, ["bruges"], id="C28-one-house"),
    pytest.param([1, 0, 1], 4, ["troyes", "hamburg", "troyes hamburg"], id="C28-two-houses"),
    pytest.param([1, 0, 1], 1, ["troyes", "hamburg"], id="C28-too-little-cloth"),
]


@pytest.mark.parametrize(("houses", "cloth", "expected"), TRANSPORTS)
def test_transports(houses: list[int], cloth: int, expected: list[str]) -> None:
    """C28: at most one cloth to each city with an own house, at least one."""
    state = with_houses(houses, cloth)
    transports = [" ".join(way["cities"]) for way in legal_ways(state, "transport")]
    assert transports == expected
    assert compensable(state, "transport") == (not expected)


def test_a_transport_needs_room_in_the_own_city() -> None:
    """C28: a player whose own cities are full is compensated though others have room."""
    state = with_houses([1, 0, 0], 1)
    deliver(state, City.TROYES, 12)
    assert why_refused(state, "transport", cities=["bruges"]) == "C28 action_impossible"
    assert compensable(state, "transport")


def test_a_house_carries_one_cloth() -> None:
    """C28: not two to one city; the order of cities is free."""
    state = with_houses([1, 1, 0], 3)
    assert why_refused(state, "transport", cities=["troyes", "troyes"]) == "C28 no_such_way"

    perform(state, 1, "transport", cities=["bruges", "troyes"])
    assert [state.cloth[city][1] for city in City] == [0, 0, 0, 1, 1, 0]


# ---- artwork -------------------------------------------------------------------------------------


def test_artworks_need_free_slots() -> None:
    """C25, C8: a full building takes none."""
    state = activating("artwork")
    give(state, 1, marble=1)
    state.artwork_room = [0, 0, 1, 0]
    assert legal_ways(state, "artwork") == [{"building": "santa_croce"}]
    assert why_refused(state, "artwork", building="palazzo_vecchio") == "C25 no_such_way"


def test_no_slot_for_artworks_anywhere() -> None:
    """C25: with all four buildings full it is impossible."""
    state = activating("artwork")
    give(state, 1, marble=1)
    state.artwork_room = [0, 0, 0, 0]
    assert why_refused(state, "artwork", building="santa_croce") == "C25 action_impossible"
    assert compensable(state, "artwork")


# ---- contribute ----------------------------------------------------------------------------------


MISFITS = [
    pytest.param("wood", "san_miniato", id="C29-row-full"),
    pytest.param("marble", "san_miniato", id="C29-no-cube"),
    pytest.param("brick", "palazzo_vecchio", id="C29-no-slots-there"),
]


@pytest.mark.parametrize(("resource", "building"), MISFITS)
def test_a_contribution_must_fit(resource: str, building: str) -> None:
    """C29: the warehouse holds the cube, and the building has a free slot of that resource."""
    state = activating("contribute")
    give(state, 1, wood=1, brick=1)
    full_row = row_of(Building.SAN_MINIATO, Resource.WOOD)
    state.row_room[full_row] = 0

    why = why_refused(state, "contribute", resource=resource, building=building)
    assert why == "C29 no_such_way"


def test_no_cube_fits() -> None:
    """C29: wood in the warehouse, but every row of wood is full: impossible."""
    state = activating("contribute")
    give(state, 1, wood=4)
    state.row_room = [0, 5, 5, 0, 3, 3, 0, 4, 4]
    assert compensable(state, "contribute")


# ---- the parameters of actions and cards are those that the action takes, no more and ------------


WRONG_PARAMETERS = [
    pytest.param("wood", {"resource": "wood"}, "C23", id="C23-takes-none"),
    pytest.param("build", {}, "C24", id="C24-what"),
    pytest.param("build", {"build": "trade_house"}, "C24", id="C24-where"),
    pytest.param("build", {"build": "trade_house", "city": "lisbon"}, "C24", id="C24-trade-city"),
    pytest.param("build", {"build": "ship", "city": "troyes"}, "C24", id="C24-ship-has-no-city"),
    pytest.param("artwork", {}, "C25", id="C25-where"),
    pytest.param("weave", {"cities": []}, "C26", id="C26-takes-none"),
    pytest.param("ship", {}, "C27", id="C27-where"),
    pytest.param("ship", {"cities": ["lisbon"], "city": "lisbon"}, "C27", id="C27-cities-only"),
    pytest.param("contribute", {"building": "san_miniato"}, "C29", id="C29-what"),
    pytest.param("contribute", {"resource": "wood"}, "C29", id="C29-where"),
]


@pytest.mark.parametrize(("action", "parameters", "rule"), WRONG_PARAMETERS)
@pytest.mark.parametrize("kind", ["perform", "play_card"])
def test_parameters_must_be_those_of_the_action(
    kind: str, action: str, parameters: dict[str, Any], rule: str
) -> None:
    """C23-C29: nothing is missing and nothing is ignored, for actions and for cards."""
    state = activating(action)
    give(state, 1, wood=2, brick=2, marble=2, cloth=2)
    player = state.players[1]
    player.ships = 1
    player.hand[Action[action.upper()]] = 1

    why = refused(state, kind, 1, action=action, **parameters)
    assert why == f"{rule} no_such_way"
