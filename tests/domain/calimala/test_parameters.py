"""The parameters of actions and cards are those that the action takes, no more and no less."""

from typing import Any

import pytest

from domain.calimala.components import Action
from tests.domain.calimala.acting import activating
from tests.domain.calimala.table import give, refused

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
