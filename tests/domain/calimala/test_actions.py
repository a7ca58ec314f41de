"""The nine actions and their parameters (C23-C30)."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, combinations_with_replacement, product
from random import Random
from typing import Any

import pytest

from domain.calimala.components import (
    ACTIONS,
    PORT_CITIES,
    TRADE_CITIES,
    Action,
    Building,
    City,
    Resource,
    Street,
    row_of,
)
from domain.calimala.state import State
from tests.domain.calimala.table import (
    actions_of,
    activate,
    cramped,
    give,
    legal,
    perform,
    refused,
    table,
)

Parameters = dict[str, Any]
SAMPLES = 150

STREET_OF = {
    Action.WOOD: Street.S03,
    Action.BRICK: Street.S03,
    Action.MARBLE: Street.S67,
    Action.WEAVE: Street.S67,
    Action.BUILD: Street.S25,
    Action.SHIP: Street.S25,
    Action.ARTWORK: Street.S14,
    Action.CONTRIBUTE: Street.S14,
    Action.TRANSPORT: Street.S78,
}


def activating(action: Action) -> State:
    """Return a table at which seat 0, with nothing, activates the action's street twice."""
    state = table()
    activate(state, 0, STREET_OF[action], times=2)
    return state


def legal_ways(state: State, action: Action) -> list[Parameters]:
    """Return the legal parameters of the action for seat 0."""
    ways = [move for move in legal(state, 0, "perform") if move["action"] == action.wire]
    for way in ways:
        del way["action"]
    return ways


# ---- what can be carried out, in the words of the rules ------------------------------------------


def goods(state: State, resource: Resource) -> Iterator[Parameters]:
    """C23: one cube of the reserve to a warehouse that holds less than four."""
    player = state.players[0]
    if player.reserve and player.stock[resource] < 4:
        yield {}


def builds(state: State) -> Iterator[Parameters]:
    """C9, C24: three ships and three workshops at most, one trade house in each trade city."""
    player = state.players[0]
    wood, brick, _marble = player.stock
    if wood >= 2 and player.ships < 3:
        yield {"build": "ship"}
    if wood >= 1 and brick >= 1 and len(player.cloth) < 3:
        yield {"build": "workshop"}
    for city, built in zip(TRADE_CITIES, player.houses, strict=True):
        if brick >= 2 and not built:
            yield {"build": "trade_house", "city": city.wire}


def artworks(state: State) -> Iterator[Parameters]:
    """C25: one marble to a building with a free slot."""
    for building in Building:
        if state.players[0].stock[Resource.MARBLE] and state.artwork_room[building]:
            yield {"building": building.wire}


def weaving(state: State) -> Iterator[Parameters]:
    """C26: a cube of the reserve to a workshop that holds less than four."""
    player = state.players[0]
    if player.reserve and min(player.cloth) < 4:
        yield {}


def shipments(state: State) -> Iterator[Parameters]:
    """C27: one cloth a ship at most, to ports with room for it."""
    player = state.players[0]
    most = min(player.ships, sum(player.cloth))
    for load in range(1, most + 1):
        for cities in combinations_with_replacement(PORT_CITIES, load):
            if all(cities.count(city) <= state.city_room[city] for city in cities):
                yield {"cities": [city.wire for city in cities]}


def transports(state: State) -> Iterator[Parameters]:
    """C28: one cloth at most to each city with an own house and room."""
    player = state.players[0]
    houses = zip(TRADE_CITIES, player.houses, strict=True)
    open_cities = [city for city, built in houses if built and state.city_room[city]]
    for load in range(1, sum(player.cloth) + 1):
        for cities in combinations(open_cities, load):
            yield {"cities": [city.wire for city in cities]}


def contributions(state: State) -> Iterator[Parameters]:
    """C29: a cube to a free slot of its resource. Palazzo Vecchio has none."""
    under_construction = [one for one in Building if one is not Building.PALAZZO_VECCHIO]
    for building, resource in product(under_construction, Resource):
        has_room = state.row_room[row_of(building, resource)]
        if state.players[0].stock[resource] and has_room:
            yield {"building": building.wire, "resource": resource.wire}


WAYS: dict[Action, tuple[str, Callable[[State], Iterator[Parameters]]]] = {
    Action.WOOD: ("C23", partial(goods, resource=Resource.WOOD)),
    Action.BRICK: ("C23", partial(goods, resource=Resource.BRICK)),
    Action.MARBLE: ("C23", partial(goods, resource=Resource.MARBLE)),
    Action.BUILD: ("C24", builds),
    Action.ARTWORK: ("C25", artworks),
    Action.WEAVE: ("C26", weaving),
    Action.SHIP: ("C27", shipments),
    Action.TRANSPORT: ("C28", transports),
    Action.CONTRIBUTE: ("C29", contributions),
}


@pytest.mark.parametrize(
    "action", [pytest.param(action, id=f"{WAYS[action][0]}-{action.wire}") for action in ACTIONS]
)
def test_an_action_has_the_ways_of_the_rules(action: Action) -> None:
    """Without a legal way, the action is refused by its rule, and compensated (C19)."""
    rule, ways_by_the_rules = WAYS[action]
    random = Random(action)
    possible = 0

    for _ in range(SAMPLES):
        state = cramped(random)
        state.city_room = random.choices((0, 1, 2, 12), k=6)
        activate(state, 0, STREET_OF[action], times=2)

        expected = list(ways_by_the_rules(state))
        assert sorted(map(str, legal_ways(state, action))) == sorted(map(str, expected))

        compensable = action.wire in actions_of(legal(state, 0, "compensate"))
        assert compensable == (not expected)
        if not expected:
            why = refused(state, "perform", 0, action=action.wire)
            assert why == f"{rule} action_impossible"
        possible += bool(expected)

    assert SAMPLES / 20 < possible < SAMPLES * 19 / 20, "the tables must show both"


WRONG_PARAMETERS = [
    pytest.param("wood", {"resource": "wood"}, "C23", id="C23-takes-none"),
    pytest.param("build", {}, "C24", id="C24-what"),
    pytest.param("build", {"build": "trade_house"}, "C24", id="C24-where"),
    pytest.param("build", {"build": "trade_house", "city": "lisbon"}, "C24", id="C24-trade-city"),
    pytest.param("build", {"build": "ship", "city": "troyes"}, "C24", id="C24-ship-has-no-city"),
    pytest.param("artwork", {}, "C25", id="C25-where"),
    pytest.param("weave", {"cities": []}, "C26", id="C26-takes-none"),
    pytest.param("ship", {}, "C27", id="C27-where"),
    pytest.param("ship", {"cities": []}, "C27", id="C27-none"),
    pytest.param("ship", {"cities": ["troyes"]}, "C27", id="C27-not-a-port"),
    pytest.param("ship", {"cities": ["lisbon"], "city": "lisbon"}, "C27", id="C27-cities-only"),
    pytest.param("transport", {"cities": ["troyes"] * 2}, "C28", id="C28-one-cloth-a-house"),
    pytest.param("contribute", {"building": "san_miniato"}, "C29", id="C29-what"),
    pytest.param("contribute", {"resource": "wood"}, "C29", id="C29-where"),
]


@pytest.mark.parametrize(("name", "parameters", "rule"), WRONG_PARAMETERS)
@pytest.mark.parametrize("kind", ["perform", "play_card"])
def test_parameters_must_be_those_of_the_action(
    kind: str, name: str, parameters: Parameters, rule: str
) -> None:
    """C23-C29: nothing is missing and nothing is ignored, for actions and for cards."""
    action = Action[name.upper()]
    state = activating(action)
    give(state, 0, wood=2, brick=2, marble=2, cloth=2)
    player = state.players[0]
    player.ships = 1
    player.houses = [1, 1, 0]
    player.hand[action] = 1

    why = refused(state, kind, 0, action=name, **parameters)

    assert why == f"{rule} no_such_way"


# ---- workshops -----------------------------------------------------------------------------------

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
    state = activating(Action.WEAVE)
    player = state.players[0]
    player.cloth = tuple(cloth)
    player.reserve = reserve

    (performed, *_) = perform(state, 0, "weave")

    assert list(performed.workshops) == cloth_after
    assert player.cloth == performed.workshops
    assert player.reserve == reserve - (sum(cloth_after) - sum(cloth))


def test_cloth_leaves_the_fullest_workshop_first() -> None:
    """C30: one by one, always from the workshop that then holds most.

    C27: the order of a shipment means nothing. The event holds it sorted.
    """
    state = activating(Action.SHIP)
    player = state.players[0]
    player.ships = 3
    player.cloth = (1, 4, 3)

    (performed, *_) = perform(state, 0, "ship", cities=["london", "barcelona", "london"])

    assert performed.cities == (City.BARCELONA, City.LONDON, City.LONDON)
    assert [state.cloth[city][0] for city in City] == [1, 0, 2, 0, 0, 0]
    assert performed.workshops == (1, 2, 2)
    assert player.cloth == (1, 2, 2)
