"""Weaving cloth and bringing it to the cities (C26-C28, C30)."""

from itertools import combinations_with_replacement, product

import pytest

from domain.calimala.actions import possible
from domain.calimala.components import PORT_CITIES, Action, City
from domain.calimala.state import State
from tests.domain.calimala.acting import activating, compensable, legal_ways, why_refused
from tests.domain.calimala.table import deliver, give, perform

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
