"""The Architect: one level more or less, once (F28)."""

from typing import Any

import pytest

from domain.firenze.components import Card, Colour, commission_index
from domain.firenze.events import CommissionFulfilled
from domain.firenze.scoring import celebrated
from domain.firenze.state import State
from tests.domain.firenze.table import (
    BLUE,
    RED,
    WHITE,
    YELLOW,
    deal,
    do,
    holding,
    only,
    play,
    raise_tower,
    refused,
)


def with_architect() -> State:
    """Seat 0 is to fulfil and holds an Architect; its tower 0 is red, of 2 levels."""
    return holding(Card.ARCHITECT, step="fulfil")


def test_the_architect_needs_a_tower() -> None:
    """F26: without an own tower it has no effect."""
    state = with_architect()
    state.players[0].towers.clear()
    assert refused(state, "play_personnel", card="architect") == "F26 no_effect"


FITTING: list[Any] = [
    pytest.param(YELLOW, 5, None, 6, id="F28-one-more"),
    pytest.param(RED, 2, None, 3, id="F28-two-as-three"),
    pytest.param(WHITE, 9, None, 8, id="F28-nine-as-eight"),
    pytest.param(RED, 5, None, 5, id="F28-true-height"),
    pytest.param(RED, 4, 1, 5, id="F28-bound-up"),
    pytest.param(RED, 4, -1, 4, id="F28-bound-true-height"),
    pytest.param(BLUE, 4, None, 3, id="F28-a-balcony"),
]


@pytest.mark.parametrize(("colour", "height", "bound", "commission"), FITTING)
def test_one_level_more_or_less(
    colour: Colour, height: int, bound: int | None, commission: int
) -> None:
    """The commission's height decides points, seal and level tile; all bricks go to the pouch."""
    state = with_architect()
    number = raise_tower(state, 0, colour, height)
    _play(state, number, bound)
    pouch_before = state.pouch[colour]
    place = commission_index(colour, commission)

    order: Any = {"tower": number, "colour": colour.wire, "height": commission}
    events = do(state, "fulfil", **order)

    event = only(events, CommissionFulfilled)
    assert event.height == commission
    assert event.bricks == height
    assert event.architect == (height != commission)
    assert event.points == state.worth[place]
    assert event.level == {5: 2, 6: 3, 7: 4, 8: 5}.get(commission, 0)
    assert state.players[0].points == event.points + event.level
    assert [where for where, owner in enumerate(state.seals) if owner == 0] == [place]
    assert state.levels == [0 if level == commission else -1 for level in (5, 6, 7, 8)]
    assert state.pouch[colour] == pouch_before + height


RECOGNIZED = [
    pytest.param(5, 4, 1, id="F28-five-as-four"),
    pytest.param(4, 5, 0, id="F28-four-as-five"),
]


@pytest.mark.parametrize(("height", "commission", "points"), RECOGNIZED)
def test_the_commissions_height_decides_for_recognition(
    height: int, commission: int, points: int
) -> None:
    """F28, F39: it counts commissions of 3 and 4 levels, however high the towers were."""
    state = with_architect()
    deal(state, 0, Card.RECOGNITION)
    number = raise_tower(state, 0, RED, height)
    play(state, Card.ARCHITECT)

    order: Any = {"tower": number, "colour": "red", "height": commission}
    do(state, "fulfil", **order)

    [recognition] = celebrated(state, 0)
    assert recognition.points == points


NOT_FITTING: list[Any] = [
    pytest.param(None, 6, id="F28-only-one-level"),
    pytest.param(1, 3, id="F28-bound-not-down"),
]


@pytest.mark.parametrize(("bound", "commission"), NOT_FITTING)
def test_no_other_level(bound: int | None, commission: int) -> None:
    """A red tower of 4 levels is no 6, and no 3 when the Architect is bound to +1."""
    state = with_architect()
    number = raise_tower(state, 0, RED, 4)
    _play(state, number, bound)

    order: Any = {"tower": number, "colour": "red", "height": commission}
    assert refused(state, "fulfil", **order) == "F28 wrong_height"


def _play(state: State, tower: int, bound: int | None) -> None:
    """Play the Architect bound to the tower and so many levels, or to nothing."""
    if bound is None:
        play(state, Card.ARCHITECT)
    else:
        play(state, Card.ARCHITECT, tower=tower, by=bound)


def test_the_architect_serves_once() -> None:
    """F28: the first fulfilment one level off uses it up."""
    state = with_architect()
    low = raise_tower(state, 0, RED, 4)
    other = raise_tower(state, 0, YELLOW, 6)
    play(state, Card.ARCHITECT)

    do(state, "fulfil", tower=low, colour="red", height=5)
    assert refused(state, "fulfil", tower=other, colour="yellow", height=7) == "F21 wrong_height"


def test_a_bound_architect_serves_only_its_tower() -> None:
    """F28: and it does not last until the next turn."""
    state = with_architect()
    low = raise_tower(state, 0, RED, 4)
    other = raise_tower(state, 0, YELLOW, 6)
    play(state, Card.ARCHITECT, tower=low, by=1)
    assert refused(state, "fulfil", tower=other, colour="yellow", height=7) == "F28 wrong_height"

    do(state, "end_turn")
    assert state.architect is None


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param({"tower": 0, "by": 2}, "F28 wrong_level", id="F28-one-level"),
        pytest.param({"tower": 0}, "F28 wrong_level", id="F28-tower-and-by"),
        pytest.param({"tower": 7, "by": 1}, "F28 no_such_tower", id="F28-no-such-tower"),
    ],
)
def test_how_the_architect_is_bound(fields: dict[str, int], why: str) -> None:
    """A tower of one's own and +1 or -1."""
    assert refused(with_architect(), "play_personnel", card="architect", **fields) == why
