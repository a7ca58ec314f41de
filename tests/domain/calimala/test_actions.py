"""The nine actions: what they need, what they do, which parameters they take (C23-C30)."""

from typing import Any

import pytest

from domain.calimala.components import Action, Building, City, Street
from domain.calimala.state import State
from tests.domain.calimala.table import activate, deliver, do, give, legal, refused, table

STREETS = {
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


def able(action: str) -> State:
    """A table where seat 1 activates the action's street and has nothing."""
    state = table()
    activate(state, 1, STREETS[action], times=2)
    return state


def ways(state: State, action: str) -> list[dict[str, Any]]:
    """Return the parameters with which seat 1 may perform the action."""
    return [
        {name: value for name, value in move.items() if name != "action"}
        for move in legal(state, 1, "perform")
        if move["action"] == action
    ]


def compensable(state: State, action: str) -> bool:
    return any(move["action"] == action for move in legal(state, 1, "compensate"))


# ---- goods -----------------------------------------------------------------------------------------------------------

GOODS = [pytest.param(name, id=f"C23-{name}") for name in ("wood", "brick", "marble")]


@pytest.mark.parametrize("name", GOODS)
def test_a_good_comes_from_the_reserve(name: str) -> None:
    """C23: one cube to its warehouse."""
    state = able(name)
    do(state, "perform", 1, action=name)
    player = state.players[1]
    assert (player.stock[Action[name.upper()]], sum(player.stock), player.reserve) == (1, 1, 39)


@pytest.mark.parametrize("name", GOODS)
def test_a_full_warehouse_takes_no_more(name: str) -> None:
    """C23, C9: four cubes fit, and then the action is impossible."""
    state = able(name)
    give(state, 1, **{name: 3})
    do(state, "perform", 1, action=name)
    assert refused(state, "perform", 1, action=name) == "C23 action_impossible"
    assert compensable(state, name)


@pytest.mark.parametrize("name", GOODS)
def test_an_empty_reserve_gives_no_good(name: str) -> None:
    """C23: all 40 cubes are in play."""
    state = able(name)
    state.players[1].reserve = 0
    assert refused(state, "perform", 1, action=name) == "C23 action_impossible"
    assert compensable(state, name)


# ---- build -----------------------------------------------------------------------------------------------------------

Params = dict[str, Any]
SHIP: Params = {"build": "ship"}
WORKSHOP: Params = {"build": "workshop"}
HOUSES: list[Params] = [
    {"build": "trade_house", "city": city} for city in ("troyes", "bruges", "hamburg")
]


@pytest.mark.parametrize(
    ("wood", "brick", "may"),
    [
        pytest.param(0, 0, [], id="C24-nothing"),
        pytest.param(1, 0, [], id="C24-one-wood"),
        pytest.param(0, 1, [], id="C24-one-brick"),
        pytest.param(2, 0, [SHIP], id="C24-ship"),
        pytest.param(1, 1, [WORKSHOP], id="C24-workshop"),
        pytest.param(0, 2, HOUSES, id="C24-trade-house"),
        pytest.param(2, 2, [SHIP, WORKSHOP, *HOUSES], id="C24-all"),
    ],
)
def test_what_can_be_built(wood: int, brick: int, may: list[Params]) -> None:
    """C24: what can be paid; impossible only if none of the three can."""
    state = able("build")
    give(state, 1, wood=wood, brick=brick)
    assert ways(state, "build") == may
    assert compensable(state, "build") == (not may)


@pytest.mark.parametrize(
    ("way", "stock"),
    [
        pytest.param(SHIP, [0, 2, 0], id="C24-ship"),
        pytest.param(WORKSHOP, [1, 1, 0], id="C24-workshop"),
        pytest.param(HOUSES[1], [2, 0, 0], id="C24-trade-house"),
    ],
)
def test_what_building_costs(way: Params, stock: list[int]) -> None:
    """C24: two cubes return to the reserve."""
    state = able("build")
    give(state, 1, wood=2, brick=2)
    do(state, "perform", 1, action="build", **way)
    player = state.players[1]
    assert (player.stock, player.reserve) == (stock, 38)
    assert [player.ships, len(player.cloth), player.houses] == [
        int(way is SHIP),
        1 + int(way is WORKSHOP),
        [0, int(way is HOUSES[1]), 0],
    ]


@pytest.mark.parametrize(
    ("owned", "gone"),
    [
        pytest.param({"ships": 3}, [SHIP], id="C9-three-ships"),
        pytest.param({"cloth": [0, 0, 0]}, [WORKSHOP], id="C9-three-workshops"),
        pytest.param({"houses": [0, 1, 0]}, [HOUSES[1]], id="C24-one-house-a-city"),
        pytest.param({"houses": [1, 1, 1]}, HOUSES, id="C9-three-houses"),
    ],
)
def test_what_is_used_up_cannot_be_built(owned: dict[str, Any], gone: list[Params]) -> None:
    """C9, C24: three of each, one trade house in a city."""
    state = able("build")
    give(state, 1, wood=2, brick=2)
    for name, value in owned.items():
        setattr(state.players[1], name, value)
    for way in gone:
        assert way not in ways(state, "build")
        assert refused(state, "perform", 1, action="build", **way) == "C24 no_such_way"


def test_players_do_not_crowd_each_other_out() -> None:
    """C7: a trade city takes houses of all players."""
    state = able("build")
    for seat in (0, 2):
        state.players[seat].houses = [1, 1, 1]
    give(state, 1, brick=2)
    assert ways(state, "build") == HOUSES


# ---- artwork ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "building", [pytest.param(building, id=f"C25-{building.wire}") for building in Building]
)
def test_an_artwork_is_given(building: Building) -> None:
    """C25: one marble from the warehouse to a slot at any of the four buildings."""
    state = able("artwork")
    give(state, 1, marble=1)
    do(state, "perform", 1, action="artwork", building=building.wire)
    assert state.artworks[building] == [0, 1, 0]
    assert state.patrons == ([1] if building is Building.PALAZZO_VECCHIO else [])
    assert state.players[1].stock == [0, 0, 0]
    assert compensable(state, "artwork")


def test_artworks_need_free_slots() -> None:
    """C25, C8: a full building takes none; with all four full it is impossible."""
    state = able("artwork")
    give(state, 1, marble=1)
    state.artwork_room = [0, 0, 1, 0]
    assert ways(state, "artwork") == [{"building": "santa_croce"}]
    assert (
        refused(state, "perform", 1, action="artwork", building="palazzo_vecchio")
        == "C25 no_such_way"
    )
    state.artwork_room = [0, 0, 0, 0]
    assert (
        refused(state, "perform", 1, action="artwork", building="santa_croce")
        == "C25 action_impossible"
    )
    assert compensable(state, "artwork")


# ---- weave -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cloth", "reserve", "after"),
    [
        pytest.param([0], 40, [1], id="C26-one-workshop"),
        pytest.param([0, 2, 3], 40, [1, 3, 4], id="C26-each-workshop"),
        pytest.param([4, 1], 40, [4, 2], id="C26-a-full-one-takes-none"),
        pytest.param([3, 0, 1], 2, [3, 1, 2], id="C26-the-fullest-goes-without"),
        pytest.param([2, 2, 2], 1, [3, 2, 2], id="C26-equal-ones-are-alike"),
    ],
)
def test_weaving(cloth: list[int], reserve: int, after: list[int]) -> None:
    """C26: one cube to each own workshop with room, as far as the reserve goes."""
    state = able("weave")
    player = state.players[1]
    player.cloth, player.reserve = cloth[:], reserve
    (event, *_) = do(state, "perform", 1, action="weave")
    assert list(event.workshops) == player.cloth == after
    assert player.reserve == reserve - (sum(after) - sum(cloth))


@pytest.mark.parametrize(
    ("cloth", "reserve"),
    [
        pytest.param([4, 4], 40, id="C26-all-full"),
        pytest.param([0], 0, id="C26-no-reserve"),
    ],
)
def test_weaving_is_impossible(cloth: list[int], reserve: int) -> None:
    """C26: only with every own workshop full, or without a cube."""
    state = able("weave")
    state.players[1].cloth, state.players[1].reserve = cloth, reserve
    assert refused(state, "perform", 1, action="weave") == "C26 action_impossible"
    assert compensable(state, "weave")


# ---- ship ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ships", "cloth", "most", "count"),
    [
        pytest.param(1, 4, 1, 3, id="C27-one-ship"),
        pytest.param(2, 4, 2, 9, id="C27-two-ships"),
        pytest.param(3, 4, 3, 19, id="C27-three-ships"),
        pytest.param(3, 2, 2, 9, id="C27-too-little-cloth"),
        pytest.param(0, 4, 0, 0, id="C27-no-ship"),
        pytest.param(3, 0, 0, 0, id="C27-no-cloth"),
    ],
)
def test_shipments(ships: int, cloth: int, most: int, count: int) -> None:
    """C27: at most one cloth a ship, at least one, cities chosen freely with repeats."""
    state = able("ship")
    state.players[1].ships = ships
    give(state, 1, cloth=cloth)
    may = ways(state, "ship")
    assert len(may) == count
    assert {len(way["cities"]) for way in may} == set(range(1, most + 1))
    assert compensable(state, "ship") == (count == 0)


@pytest.mark.parametrize(
    ("cities", "why"),
    [
        pytest.param(["lisbon", "lisbon", "lisbon"], "C27 no_such_way", id="C27-more-than-room"),
        pytest.param(["barcelona"], "C27 no_such_way", id="C27-full-city"),
        pytest.param(["troyes"], "C27 no_such_way", id="C27-not-a-port"),
        pytest.param([], "C27 no_such_way", id="C27-none"),
        pytest.param(["london"] * 4, "C27 no_such_way", id="C27-more-than-ships"),
    ],
)
def test_shipments_need_room(cities: list[str], why: str) -> None:
    """C27, C7: a city takes twelve cloth in all."""
    state = able("ship")
    state.players[1].ships = 3
    give(state, 1, cloth=4)
    deliver(state, City.BARCELONA, 6, 0, 6)
    deliver(state, City.LISBON, 10)
    assert refused(state, "perform", 1, action="ship", cities=cities) == why
    assert ways(state, "ship")[:2] == [{"cities": ["lisbon"]}, {"cities": ["london"]}]


def test_no_room_in_any_port() -> None:
    """C27: then shipping is impossible."""
    state = able("ship")
    state.players[1].ships = 3
    give(state, 1, cloth=4)
    for city in (City.BARCELONA, City.LISBON, City.LONDON):
        deliver(state, city, 12)
    assert compensable(state, "ship")


def test_cities_may_be_named_in_any_order() -> None:
    """C27: a shipment is a heap; the event holds it sorted."""
    state = able("ship")
    state.players[1].ships = 3
    give(state, 1, cloth=3)
    (event, *_) = do(state, "perform", 1, action="ship", cities=["london", "barcelona", "london"])
    assert event.cities == (City.BARCELONA, City.LONDON, City.LONDON)
    assert [state.cloth[city][1] for city in City] == [1, 0, 2, 0, 0, 0]
    assert state.city_room == [11, 12, 10, 12, 12, 12]


# ---- transport -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("houses", "cloth", "may"),
    [
        pytest.param([0, 0, 0], 4, [], id="C28-no-house"),
        pytest.param([1, 0, 1], 0, [], id="C28-no-cloth"),
        pytest.param([0, 1, 0], 4, ["bruges"], id="C28-one-house"),
        pytest.param([1, 0, 1], 4, ["troyes", "hamburg", "troyes hamburg"], id="C28-two-houses"),
        pytest.param([1, 0, 1], 1, ["troyes", "hamburg"], id="C28-too-little-cloth"),
    ],
)
def test_transports(houses: list[int], cloth: int, may: list[str]) -> None:
    """C28: at most one cloth to each city with an own house, at least one."""
    state = able("transport")
    state.players[1].houses = houses
    give(state, 1, cloth=cloth)
    assert [" ".join(way["cities"]) for way in ways(state, "transport")] == may
    assert compensable(state, "transport") == (not may)


def test_a_transport_needs_room_in_the_own_city() -> None:
    """C28: a player whose own cities are full is compensated though others have room."""
    state = able("transport")
    state.players[1].houses = [1, 0, 0]
    give(state, 1, cloth=1)
    deliver(state, City.TROYES, 12)
    assert (
        refused(state, "perform", 1, action="transport", cities=["bruges"])
        == "C28 action_impossible"
    )
    assert compensable(state, "transport")


def test_a_house_carries_one_cloth() -> None:
    """C28: not two to one city; the order of cities is free."""
    state = able("transport")
    state.players[1].houses = [1, 1, 0]
    give(state, 1, cloth=3)
    assert (
        refused(state, "perform", 1, action="transport", cities=["troyes", "troyes"])
        == "C28 no_such_way"
    )
    do(state, "perform", 1, action="transport", cities=["bruges", "troyes"])
    assert [state.cloth[city][1] for city in City] == [0, 0, 0, 1, 1, 0]


# ---- contribute ------------------------------------------------------------------------------------------------------


def test_a_contribution_fills_a_slot_of_its_resource() -> None:
    """C29: one cube from its warehouse to one of the three buildings."""
    state = able("contribute")
    give(state, 1, brick=1)
    assert [way["building"] for way in ways(state, "contribute")] == [
        building.wire for building in list(Building)[:3]
    ]
    do(state, "perform", 1, action="contribute", resource="brick", building="san_miniato")
    assert [row[1] for row in state.contributed] == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert state.row_room == [5, 5, 5, 3, 2, 3, 4, 4, 4]
    assert state.players[1].stock == [0, 0, 0]


@pytest.mark.parametrize(
    ("resource", "building"),
    [
        pytest.param("wood", "san_miniato", id="C29-row-full"),
        pytest.param("marble", "san_miniato", id="C29-no-cube"),
        pytest.param("brick", "palazzo_vecchio", id="C29-no-slots-there"),
    ],
)
def test_a_contribution_must_fit(resource: str, building: str) -> None:
    """C29: the warehouse holds the cube, and the building has a free slot of that resource."""
    state = able("contribute")
    give(state, 1, wood=1, brick=1)
    state.row_room[3 * Building.SAN_MINIATO] = 0
    assert (
        refused(state, "perform", 1, action="contribute", resource=resource, building=building)
        == "C29 no_such_way"
    )


def test_no_cube_fits() -> None:
    """C29: wood in the warehouse, but every row of wood is full: impossible."""
    state = able("contribute")
    give(state, 1, wood=4)
    state.row_room = [0, 5, 5, 0, 3, 3, 0, 4, 4]
    assert compensable(state, "contribute")


# ---- parameters and cloth --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "fields", "why"),
    [
        pytest.param("wood", {"resource": "wood"}, "C23 no_such_way", id="C23-takes-none"),
        pytest.param("build", {}, "C24 no_such_way", id="C24-what"),
        pytest.param("build", {"build": "trade_house"}, "C24 no_such_way", id="C24-where"),
        pytest.param(
            "build",
            {"build": "trade_house", "city": "lisbon"},
            "C24 no_such_way",
            id="C24-trade-city",
        ),
        pytest.param(
            "build",
            {"build": "ship", "city": "troyes"},
            "C24 no_such_way",
            id="C24-ship-has-no-city",
        ),
        pytest.param("artwork", {}, "C25 no_such_way", id="C25-where"),
        pytest.param("weave", {"cities": []}, "C26 no_such_way", id="C26-takes-none"),
        pytest.param("ship", {}, "C27 no_such_way", id="C27-where"),
        pytest.param(
            "ship",
            {"cities": ["lisbon"], "city": "lisbon"},
            "C27 no_such_way",
            id="C27-cities-only",
        ),
        pytest.param("contribute", {"building": "san_miniato"}, "C29 no_such_way", id="C29-what"),
        pytest.param("contribute", {"resource": "wood"}, "C29 no_such_way", id="C29-where"),
    ],
)
@pytest.mark.parametrize("kind", ["perform", "play_card"])
def test_parameters_must_be_those_of_the_action(
    kind: str, action: str, fields: dict[str, Any], why: str
) -> None:
    """C23-C29: nothing is missing and nothing is ignored, for actions and for cards."""
    state = able(action)
    give(state, 1, wood=2, brick=2, marble=2, cloth=2)
    state.players[1].ships = 1
    state.players[1].hand[Action[action.upper()]] = 1
    assert refused(state, kind, 1, action=action, **fields) == why


def test_cloth_leaves_the_fullest_workshop_first() -> None:
    """C30: one by one, always from the workshop that then holds most."""
    state = able("ship")
    player = state.players[1]
    player.ships, player.cloth, player.reserve = 3, [1, 4, 3], 32
    (event, *_) = do(state, "perform", 1, action="ship", cities=["lisbon"] * 3)
    assert list(event.workshops) == player.cloth == [1, 2, 2]
