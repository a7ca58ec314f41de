"""Fulfilling commissions, level tiles, balconies, church cards (F21-F23, F37, F38)."""

from typing import Any

import pytest

from domain.firenze import GAME
from domain.firenze import events as ev
from domain.firenze.agenda import Step, Task
from domain.firenze.cards import Card
from domain.firenze.commands import Fulfil
from domain.firenze.state import State
from tests.domain.firenze.table import (
    BLUE,
    GREEN,
    PURPLE,
    RED,
    WHITE,
    YELLOW,
    deal,
    do,
    only,
    open_church,
    play,
    raise_tower,
    refused,
    table,
    tags,
)


def fulfilling(*built: tuple[Any, int], seats: int = 2) -> State:
    """Seat 0 has built these towers and is to fulfil."""
    state = table(seats, "fulfil")
    for colour, height in built:
        raise_tower(state, 0, colour, height)
    return state


def test_a_commission_is_fulfilled() -> None:
    """F21: points as printed, a seal, all bricks to the pouch; the commission is taken for good."""
    state = fulfilling((RED, 5), (RED, 5))
    pouch = state.pouch[RED]
    event = only(do(state, "fulfil", tower=0, colour="red", height=5), ev.CommissionFulfilled)
    assert (event.points, event.level, event.privilege) == (5, 2, 0)
    player = state.players[0]
    assert (player.points, player.seals, len(player.towers), state.pouch[RED]) == (
        7,
        8,
        1,
        pouch + 5,
    )
    assert refused(state, "fulfil", tower=1, colour="red", height=5) == "F21 not_open"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param(
            {"tower": 0, "colour": "red", "height": 4}, "F21 wrong_height", id="F21-one-too-many"
        ),
        pytest.param(
            {"tower": 0, "colour": "red", "height": 6}, "F21 wrong_height", id="F21-one-too-few"
        ),
        pytest.param(
            {"tower": 0, "colour": "blue", "height": 5}, "F21 wrong_colour", id="F21-other-colour"
        ),
        pytest.param(
            {"tower": 4, "colour": "red", "height": 5}, "F21 no_such_tower", id="F21-no-such-tower"
        ),
        pytest.param(
            {"tower": 1, "colour": "green", "height": 3}, "F21 not_open", id="F21-neutral-seal"
        ),
        pytest.param(
            {"tower": 1, "colour": "green", "height": 2},
            "F21 not_open",
            id="F21-no-such-commission",
        ),
        pytest.param({"tower": 0, "colour": "red"}, "F21 no_commission", id="F21-nothing-named"),
        pytest.param(
            {"tower": 0, "colour": "red", "height": 7}, "F22 not_open", id="F22-balcony-not-yet-due"
        ),
        pytest.param(
            {"tower": 0, "campanile": True}, "F38 no_bell_tower_due", id="F38-no-campanile-open"
        ),
    ],
)
def test_what_cannot_be_fulfilled(fields: dict[str, Any], why: str) -> None:
    """Exactly the height of an open commission of its colour."""
    assert refused(fulfilling((RED, 5), (GREEN, 3)), "fulfil", **fields) == why


def test_without_a_seal_nothing_is_fulfilled() -> None:
    """F21: an unused seal is needed, and nothing is listed without one."""
    state = fulfilling((RED, 5))
    state.players[0].seals = 0
    assert refused(state, "fulfil", tower=0, colour="red", height=5) == "F21 no_seal"
    assert [type(move).tag for move in GAME.legal_moves(state, 0)] == ["end_turn"]


def test_balconies_come_in_order() -> None:
    """F22: II is closed until I is fulfilled, then open at once, in the same turn; a balcony's points replace."""
    state = fulfilling((WHITE, 6), (BLUE, 3))
    assert refused(state, "fulfil", tower=0, colour="white", height=6) == "F22 not_open"
    first = only(do(state, "fulfil", tower=1, colour="blue", height=3), ev.CommissionFulfilled)
    second = only(do(state, "fulfil", tower=0, colour="white", height=6), ev.CommissionFulfilled)
    assert (first.points, second.points, state.next_balcony) == (6, 8, 2)


def test_a_sealed_balcony_is_closed_by_its_seal() -> None:
    """F21, not F22: a balcony that was fulfilled is a commission fulfilled; its turn has not to come."""
    state = fulfilling((BLUE, 3), (BLUE, 3))
    do(state, "fulfil", tower=0, colour="blue", height=3)
    assert refused(state, "fulfil", tower=1, colour="blue", height=3) == "F21 not_open"


LEVELS = [
    pytest.param(PURPLE, 4, 0, id="F23-no-tile-below-5"),
    pytest.param(PURPLE, 5, 2, id="F23-5"),
    pytest.param(PURPLE, 6, 3, id="F23-6"),
    pytest.param(PURPLE, 7, 4, id="F23-7"),
    pytest.param(RED, 8, 5, id="F23-8"),
]


@pytest.mark.parametrize(("colour", "height", "points"), LEVELS)
def test_the_first_of_a_height_takes_the_level_tile(colour: Any, height: int, points: int) -> None:
    """Once a game, to the first; the neutral seals have not taken any."""
    state = fulfilling((colour, height))
    event = only(
        do(state, "fulfil", tower=0, colour=colour.wire, height=height), ev.CommissionFulfilled
    )
    assert event.level == points
    other = BLUE if height < 8 else WHITE
    raise_tower(state, 1, other, height)
    state.agenda = [Task(Step.FULFIL, 1)]
    if height > 4:
        again = only(
            do(state, "fulfil", 1, tower=0, colour=other.wire, height=height),
            ev.CommissionFulfilled,
        )
        assert (again.level, state.levels[height - 5]) == (0, 0)


# ---- church (F37, F38) -----------------------------------------------------------------------------------------------


PRIVILEGES = [
    pytest.param(Card.MINOR_PRIVILEGE, 5, 2, id="F37-minor-privilege"),
    pytest.param(Card.PRIVILEGE, 6, 3, id="F37-privilege"),
    pytest.param(Card.MAJOR_PRIVILEGE, 7, 4, id="F37-major-privilege"),
]


@pytest.mark.parametrize(("card", "height", "points"), PRIVILEGES)
def test_privileges(card: Card, height: int, points: int) -> None:
    """The next commission of exactly this height brings more points; then the card is discarded."""
    state = table(step="fulfil")
    open_church(state, card)
    lower = raise_tower(state, 0, PURPLE, height - 1)
    do(state, "fulfil", tower=lower, colour="purple", height=height - 1)
    assert state.church == [card]
    exact = raise_tower(state, 0, BLUE, height)
    event = only(
        do(state, "fulfil", tower=exact, colour="blue", height=height), ev.CommissionFulfilled
    )
    assert (event.privilege, state.church, state.discards[card]) == (points, [], 1)


def campanile() -> State:
    """The Campanile is open; seat 0 has a red 3, a white 3 and a yellow 5."""
    state = table(step="fulfil")
    open_church(state, Card.CAMPANILE)
    for colour, height in ((RED, 3), (WHITE, 3), (YELLOW, 5)):
        raise_tower(state, 0, colour, height)
    return state


def test_the_bell_tower_comes_first() -> None:
    """F38: nothing else may be fulfilled; it brings neither points nor a seal; others may follow in the same turn."""
    state = campanile()
    listed = [move for move in GAME.legal_moves(state, 0) if isinstance(move, Fulfil)]
    assert listed == [Fulfil(0, 1, campanile=True)]
    assert refused(state, "fulfil", tower=0, colour="red", height=3) == "F38 campanile_first"
    assert refused(state, "fulfil", tower=1, colour="white", height=3) == "F38 campanile_first"
    assert refused(state, "fulfil", tower=0, campanile=True) == "F38 wrong_tower"
    assert refused(state, "fulfil", tower=1, campanile=True, height=3) == "F38 two_commissions"
    do(state, "fulfil", tower=1, campanile=True)
    assert (state.players[0].points, state.players[0].seals) == (0, 9)
    do(state, "fulfil", tower=0, colour="red", height=3)
    assert refused(state, "fulfil", tower=2, campanile=True) == "F38 no_bell_tower_due"


def test_the_architect_does_not_help_the_bell_tower() -> None:
    """F28, F38: two white levels are not three."""
    state = campanile()
    deal(state, 0, Card.ARCHITECT)
    low = raise_tower(state, 0, WHITE, 2)
    play(state, Card.ARCHITECT, tower=low, by=1)
    assert refused(state, "fulfil", tower=low, campanile=True) == "F38 wrong_tower"


def test_the_campanile_goes_when_all_have_delivered() -> None:
    """F38: until then it stays; everybody may fulfil again and none is owed."""
    state = campanile()
    do(state, "fulfil", tower=1, campanile=True)
    assert state.church == [Card.CAMPANILE]
    state.players[1].bell_tower, state.players[0].bell_tower = True, False
    low = raise_tower(state, 0, WHITE, 3)
    assert tags(do(state, "fulfil", tower=low, campanile=True))[-1] == "church_closed"
    assert (state.church, state.discards[Card.CAMPANILE]) == ([], 1)
    assert not any(player.bell_tower for player in state.players)
