"""The Monument, which goes to the tallest tower (F36)."""

from typing import Any

import pytest

from domain.firenze.components import Card
from tests.domain.firenze.table import (
    BLUE,
    PURPLE,
    RED,
    deal,
    do,
    offer,
    raise_tower,
    stock,
    table,
)

MONUMENTS: list[Any] = [
    pytest.param([2], [3], 1, id="F36-whose-turn-it-is-not"),
    pytest.param([4], [3], 0, id="F36-taker"),
    pytest.param([1], [], 0, id="F36-one-level-is-a-tower"),
    pytest.param([3, 3], [2], 0, id="F36-two-own-are-no-tie"),
    pytest.param([3], [3], None, id="F36-tie"),
    pytest.param([], [], None, id="F36-no-towers"),
]


@pytest.mark.parametrize(("own", "others", "winner"), MONUMENTS)
def test_the_monument_goes_to_the_tallest_tower(
    own: list[int], others: list[int], winner: int | None
) -> None:
    """Compared when the card is taken; no Patrician is asked; the chooser keeps the bricks."""
    state = table()
    deal(state, 0, Card.PATRICIAN)
    for height in own:
        raise_tower(state, 0, RED, height, idle=True)
    for height in others:
        raise_tower(state, 1, BLUE, height)
    offer(state, 0, Card.MONUMENT, PURPLE)

    do(state, "take_card", slot=0)

    held = [player.cards[Card.MONUMENT] for player in state.players]
    assert held == [winner == 0, winner == 1]
    assert state.discards[Card.MONUMENT] == (winner is None)
    assert stock(state, 0) == {"white": 2, "purple": 1}
