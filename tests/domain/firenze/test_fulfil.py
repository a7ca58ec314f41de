"""Fulfilling commissions, level tiles, balconies, church cards (F21-F23, F37, F38)."""

from typing import Any

import pytest

from domain.firenze import GAME
from domain.firenze.commands import Fulfil
from domain.firenze.components import Card, Colour
from domain.firenze.events import CommissionFulfilled
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
    move_kinds,
    only,
    open_church,
    play,
    raise_tower,
    refused,
    set_step,
    table,
    tags,
)


def fulfilling(*built: tuple[Colour, int], seats: int = 2) -> State:
    """Seat 0 has built these towers and is to fulfil."""
    state = table(seats, "fulfil")
    for colour, height in built:
        raise_tower(state, 0, colour, height)
    return state


def delivered(
    state: State, tower: int, colour: Colour, height: int, seat: int = 0
) -> CommissionFulfilled:
    """Deliver the tower to a commission and return what came of it."""
    events = do(state, "fulfil", seat, tower=tower, colour=colour.wire, height=height)
    fulfilled: CommissionFulfilled = only(events, CommissionFulfilled)
    return fulfilled


# ---- commissions (F21, F22) ------------------------------------------------------------------


NOT_FULFILLED: list[Any] = [
    pytest.param(0, "red", 4, "F21 wrong_height", id="F21-one-too-many"),
    pytest.param(0, "red", 6, "F21 wrong_height", id="F21-one-too-few"),
    pytest.param(0, "blue", 5, "F21 wrong_colour", id="F21-other-colour"),
    pytest.param(4, "red", 5, "F21 no_such_tower", id="F21-no-such-tower"),
    pytest.param(1, "green", 3, "F21 not_open", id="F21-neutral-seal"),
    pytest.param(1, "green", 2, "F21 not_open", id="F21-no-such-commission"),
    pytest.param(0, "red", None, "F21 no_commission", id="F21-no-height-named"),
    pytest.param(0, None, None, "F21 no_commission", id="F21-nothing-named"),
    pytest.param(0, "red", 7, "F22 not_open", id="F22-balcony-not-yet-due"),
]


@pytest.mark.parametrize(("tower", "colour", "height", "why"), NOT_FULFILLED)
def test_what_cannot_be_fulfilled(
    tower: int, colour: str | None, height: int | None, why: str
) -> None:
    """Only exactly the height of an open commission of its colour."""
    state = fulfilling((RED, 5), (GREEN, 3))
    assert refused(state, "fulfil", tower=tower, colour=colour, height=height) == why


def test_without_a_seal_nothing_is_fulfilled() -> None:
    """F21: an unused seal is needed, and nothing is listed without one."""
    state = fulfilling((RED, 5))
    state.players[0].seals = 0
    assert refused(state, "fulfil", tower=0, colour="red", height=5) == "F21 no_seal"
    assert move_kinds(state, 0) == ["end_turn"]


def test_balconies_come_in_order() -> None:
    """F22: II is closed until I is fulfilled, then open at once, in the same turn.

    The points of a balcony replace the printed ones.
    """
    state = fulfilling((WHITE, 6), (BLUE, 3))
    assert refused(state, "fulfil", tower=0, colour="white", height=6) == "F22 not_open"

    assert delivered(state, 1, BLUE, 3).points == 6
    assert delivered(state, 0, WHITE, 6).points == 8
    assert state.next_balcony == 2


def test_a_sealed_balcony_is_closed_by_its_seal() -> None:
    """F21, not F22: a balcony that was fulfilled is a commission fulfilled."""
    state = fulfilling((BLUE, 3), (BLUE, 3))
    delivered(state, 0, BLUE, 3)
    assert refused(state, "fulfil", tower=1, colour="blue", height=3) == "F21 not_open"


# ---- level tiles (F23) -----------------------------------------------------------------------

LEVELS = [
    pytest.param(PURPLE, BLUE, 5, 2, id="F23-5"),
    pytest.param(PURPLE, BLUE, 6, 3, id="F23-6"),
    pytest.param(PURPLE, BLUE, 7, 4, id="F23-7"),
    pytest.param(RED, WHITE, 8, 5, id="F23-8"),
]


@pytest.mark.parametrize(("colour", "another", "height", "points"), LEVELS)
def test_the_first_of_a_height_takes_the_level_tile(
    colour: Colour, another: Colour, height: int, points: int
) -> None:
    """Once a game, to the first; the neutral seals have not taken any."""
    state = fulfilling((colour, height))
    assert delivered(state, 0, colour, height).level == points

    raise_tower(state, 1, another, height)
    set_step(state, "fulfil", seat=1)
    assert delivered(state, 0, another, height, seat=1).level == 0
    assert state.levels[height - 5] == 0


# ---- privileges (F37) ------------------------------------------------------------------------

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
    delivered(state, lower, PURPLE, height - 1)

    assert state.church == [card]

    exact = raise_tower(state, 0, BLUE, height)
    assert delivered(state, exact, BLUE, height).privilege == points
    assert state.church == []
    assert state.discards[card] == 1


# ---- the Campanile (F38) ---------------------------------------------------------------------


def campanile() -> State:
    """The Campanile is open; seat 0 has a red 3, a white 3 and a yellow 5."""
    state = table(step="fulfil")
    open_church(state, Card.CAMPANILE)
    for colour, height in ((RED, 3), (WHITE, 3), (YELLOW, 5)):
        raise_tower(state, 0, colour, height)
    return state


def test_the_bell_tower_comes_first() -> None:
    """F38: nothing else may be fulfilled, not even by the tower that will do."""
    state = campanile()
    listed = [move for move in GAME.legal_moves(state, 0) if isinstance(move, Fulfil)]
    assert listed == [Fulfil(0, 1, campanile=True)]
    assert refused(state, "fulfil", tower=0, colour="red", height=3) == "F38 campanile_first"
    assert refused(state, "fulfil", tower=1, colour="white", height=3) == "F38 campanile_first"


def test_the_bell_tower_is_three_white_levels() -> None:
    """F38: no other tower will do, and no commission is named beside it."""
    state = campanile()
    assert refused(state, "fulfil", tower=0, campanile=True) == "F38 wrong_tower"
    assert refused(state, "fulfil", tower=1, campanile=True, height=3) == "F38 two_commissions"


def test_the_architect_does_not_help_the_bell_tower() -> None:
    """F28, F38: two white levels are not three."""
    state = campanile()
    deal(state, 0, Card.ARCHITECT)
    low = raise_tower(state, 0, WHITE, 2)

    play(state, Card.ARCHITECT, tower=low, by=1)
    assert refused(state, "fulfil", tower=low, campanile=True) == "F38 wrong_tower"


def test_the_campanile_goes_when_all_have_delivered() -> None:
    """F38: until then it stays; afterwards everybody may fulfil again and none is owed."""
    state = campanile()
    do(state, "fulfil", tower=1, campanile=True)

    assert state.church == [Card.CAMPANILE]

    state.players[0].bell_tower = False
    state.players[1].bell_tower = True
    second = raise_tower(state, 0, WHITE, 3)
    events = do(state, "fulfil", tower=second, campanile=True)

    assert tags(events) == ["bell_tower_delivered", "church_closed"]
    assert state.church == []
    assert state.discards[Card.CAMPANILE] == 1
    assert not any(player.bell_tower for player in state.players)
