"""A refusal says, for people, what would be legal (C19-C23, C38)."""

from typing import Any

import pytest

from domain.calimala.components import Action
from domain.errors import RuleBroken
from tests.domain.calimala.table import BRICK_WOOD, deal, do, place, table

REFUSED_MOVES = [
    pytest.param(
        {"kind": "place_disc", "seat": 1, "street": "0-3", "disc": "white"},
        "Seat 0 is to",
        id="C19-who",
    ),
    pytest.param(
        {"kind": "perform", "seat": 0, "action": "ship"},
        "left to use is brick, wood",
        id="C19-what",
    ),
    pytest.param({"kind": "end_activation", "seat": 0}, "First perform", id="C21-first"),
    pytest.param(
        {"kind": "play_card", "seat": 0, "action": "weave"}, "You hold ship", id="C20-hand"
    ),
    pytest.param(
        {"kind": "perform", "seat": 0, "action": "wood", "city": "troyes"},
        "with no parameters",
        id="C23-how",
    ),
    pytest.param({"kind": "score"}, "Seat 0 is to", id="C38-nobody-waits-for-the-house"),
]


@pytest.mark.parametrize(("move", "says"), REFUSED_MOVES)
def test_a_refusal_says_what_would_be_legal(move: dict[str, Any], says: str) -> None:
    """Seat 0 has just placed on brick-wood and holds a ship card."""
    state = table()
    deal(state, 0, Action.SHIP)
    place(state, 0, BRICK_WOOD)
    with pytest.raises(RuleBroken, match=says):
        do(state, **move)
