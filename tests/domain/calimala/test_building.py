"""Taking goods and building (C23, C24)."""

from typing import Any

import pytest

from tests.domain.calimala.acting import (
    Parameters,
    activating,
    compensable,
    legal_ways,
    why_refused,
)
from tests.domain.calimala.table import give, perform

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
