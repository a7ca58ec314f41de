"""Personnel cards (F26-F31)."""

from typing import Any

import pytest

from domain.firenze import GAME
from domain.firenze.components import NO_BRICKS, Card
from domain.firenze.events import CommissionFulfilled
from domain.firenze.state import State
from tests.domain.firenze.table import (
    RED,
    YELLOW,
    deal,
    do,
    holding,
    move_kinds,
    only,
    play,
    raise_tower,
    refused,
)

# ---- what may be played (F26) ----------------------------------------------------------------


def test_no_two_of_a_name_in_a_turn() -> None:
    """F26: another card may follow; a second Alchemist waits for the next turn."""
    state = holding(Card.ALCHEMIST, Card.ALCHEMIST, Card.PRINCESS)
    play(state, Card.ALCHEMIST, take="white", give="red")

    again: Any = {"card": "alchemist", "take": "green", "give": "blue"}

    assert refused(state, "play_personnel", **again) == "F26 already_played"
    play(state, Card.PRINCESS)

    for seat in (0, 1):
        do(state, "take_card", seat, slot=0)
        do(state, "end_turn", seat)
    play(state, Card.ALCHEMIST, take="green", give="blue")


TRADE_WITH_ONESELF = {"target": 0, "take": "blue", "give": "red"}
TRADE_OF_EQUALS = {"target": 1, "take": "green", "give": "green"}
TRADE_FOR_NOTHING = {"target": 1, "take": "red", "give": "blue"}

NOT_PLAYED: list[Any] = [
    pytest.param(
        Card.ALCHEMIST, {"take": "red", "give": "red"}, "F26 no_effect", id="F26-equal-colours"
    ),
    pytest.param(Card.SMUGGLER, TRADE_OF_EQUALS, "F26 no_effect", id="F26-smuggler"),
    pytest.param(Card.WHOLESALER, {"slot": 5}, "F26 no_effect", id="F26-wholesaler-without-bricks"),
    pytest.param(Card.WHOLESALER, {}, "F26 no_effect", id="F26-wholesaler-without-a-slot"),
    pytest.param(Card.FAME, {}, "F26 not_personnel", id="F26-a-celebration"),
    pytest.param(Card.PRINCESS, {"slot": 1}, "F26 superfluous_field", id="F26-superfluous-field"),
    pytest.param(
        Card.SABOTEUR, {"target": 1, "tower": 4}, "F30 no_such_tower", id="F30-no-such-tower"
    ),
    pytest.param(
        Card.SABOTEUR, {"target": 0, "tower": 0}, "F30 no_such_tower", id="F30-not-ones-own"
    ),
    pytest.param(Card.SMUGGLER, TRADE_WITH_ONESELF, "F30 no_such_seat", id="F30-oneself"),
    pytest.param(Card.SMUGGLER, {"take": "green"}, "F30 no_such_seat", id="F30-nobody"),
    pytest.param(Card.SMUGGLER, TRADE_FOR_NOTHING, "F30 no_such_brick", id="F30-not-there"),
    pytest.param(
        Card.ALCHEMIST, {"take": "white", "give": "green"}, "F27 no_such_brick", id="F27-not-held"
    ),
    pytest.param(Card.ALCHEMIST, {"give": "red"}, "F27 no_such_brick", id="F27-nothing-named"),
    pytest.param(Card.MASON, {}, "F29 wrong_phase", id="F29-mason-before-choosing"),
    pytest.param(Card.ARCHITECT, {}, "F28 wrong_phase", id="F28-architect-before-building"),
    pytest.param(Card.PATRICIAN, {"discard": "patrician"}, "F31 no_such_card", id="F31-not-itself"),
    pytest.param(
        Card.PATRICIAN, {"discard": "workshop"}, "F31 no_such_card", id="F31-not-a-building"
    ),
]


@pytest.mark.parametrize(("card", "fields", "why"), NOT_PLAYED)
def test_what_personnel_cannot_do(card: Card, fields: dict[str, Any], why: str) -> None:
    """A card without any effect, without its target or out of its phase may not be played."""
    state = holding(card, Card.WORKSHOP)
    state.row[5].bricks = [*NO_BRICKS]
    assert refused(state, "play_personnel", card=card.wire, **fields) == why


def test_a_card_must_be_in_the_hand() -> None:
    """F26: not in another's."""
    state = holding()
    deal(state, 1, Card.PRINCESS)
    assert refused(state, "play_personnel", card="princess") == "F26 card_not_held"


# ---- Mason, Princess, Wholesaler (F29) -------------------------------------------------------


def test_the_mason_works_no_longer_than_this_turn() -> None:
    """F29: in the next turn 4 bricks cost 3 again."""
    state = holding(Card.MASON, step="build")
    play(state, Card.MASON)
    do(state, "end_turn")
    do(state, "take_card", 1, slot=0)
    assert GAME.view(state, 1)["build"]["cost"] == [0, 0, 0, 1, 3, 6, 10]


# ---- when they may be played (F26-F31) -------------------------------------------------------

PHASES = [
    pytest.param(Card.ALCHEMIST, "choose build fulfil", id="F27-alchemist"),
    pytest.param(Card.ARCHITECT, "fulfil", id="F28-architect"),
    pytest.param(Card.MASON, "build", id="F29-mason"),
    pytest.param(Card.PRINCESS, "choose", id="F29-princess"),
    pytest.param(Card.WHOLESALER, "choose build", id="F29-wholesaler"),
    pytest.param(Card.SABOTEUR, "choose build fulfil", id="F30-saboteur"),
    pytest.param(Card.SMUGGLER, "choose build fulfil", id="F30-smuggler"),
    pytest.param(Card.PATRICIAN, "choose build fulfil", id="F31-patrician"),
]


@pytest.mark.parametrize(("card", "steps"), PHASES)
def test_when_personnel_may_be_played(card: Card, steps: str) -> None:
    """Each card has its steps of the own turn."""
    found = [
        step
        for step in ("choose", "build", "fulfil")
        if "play_personnel" in move_kinds(holding(card, Card.FAME, step=step), 0)
    ]
    assert found == steps.split()


# ---- the Architect (F28) -------------------------------------------------------------------------


def with_architect() -> State:
    """Seat 0 is to fulfil and holds an Architect; its tower 0 is red, of 2 levels."""
    return holding(Card.ARCHITECT, step="fulfil")


def test_the_architect_needs_a_tower() -> None:
    """F26: without an own tower it has no effect."""
    state = with_architect()
    state.players[0].towers.clear()
    assert refused(state, "play_personnel", card="architect") == "F26 no_effect"


@pytest.mark.parametrize(
    ("bound", "commission"),
    [
        pytest.param(None, 3, id="F28-free-one-down"),
        pytest.param(None, 5, id="F28-free-one-up"),
        pytest.param(-1, 3, id="F28-bound-down"),
        pytest.param(1, 5, id="F28-bound-up"),
    ],
)
def test_one_level_off(bound: int | None, commission: int) -> None:
    """A red tower of 4 levels is delivered as a 3 or a 5, and the commission says how."""
    state = with_architect()
    number = raise_tower(state, 0, RED, 4)
    _play(state, number, bound)

    events = do(state, "fulfil", tower=number, colour="red", height=commission)

    fulfilled = only(events, CommissionFulfilled)
    assert (fulfilled.height, fulfilled.bricks, fulfilled.architect) == (commission, 4, True)


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
