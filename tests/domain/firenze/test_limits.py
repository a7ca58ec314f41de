"""Limits at the end of a turn, and bricks that nobody named (F24, F25)."""

from typing import Any

import pytest

from domain.firenze.build import automatic
from domain.firenze.components import Card
from tests.domain.firenze.table import (
    WHITE,
    YELLOW,
    bricks,
    building,
    deal,
    do,
    refused,
    stock,
)

# ---- the storehouse (F24) --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "cards", "left"),
    [
        pytest.param(13, (), 10, id="F24-ten"),
        pytest.param(10, (), 10, id="F24-just-ten"),
        pytest.param(17, (Card.WAREHOUSE,), 15, id="F24-warehouse"),
    ],
)
def test_the_storehouse_limit(held: int, cards: tuple[Card, ...], left: int) -> None:
    """The surplus goes to the pouch, by F25 if it is not named."""
    state = building(green=held - 4, yellow=4)
    deal(state, 0, *cards)

    do(state, "end_turn")
    assert sum(stock(state, 0).values()) == left


def test_the_player_chooses_the_surplus() -> None:
    """F24: bricks that are not named are chosen by F25; no more than are due may be named."""
    state = building(white=6, red=6)
    assert refused(state, "end_turn", bricks=bricks("red red red")) == "F24 too_many_bricks"

    do(state, "end_turn", bricks=["red"])
    assert stock(state, 0) == {"white": 5, "red": 5}


def test_bricks_may_not_be_given_away_without_a_surplus() -> None:
    """F24: none are due, so none may be named."""
    state = building(white=6)
    assert refused(state, "end_turn", bricks=["white"]) == "F24 too_many_bricks"


# ---- the hand (F24) --------------------------------------------------------------------------

FIVE = (Card.ALCHEMIST, Card.MASON, Card.WORKSHOP, Card.BRIDGE, Card.FAME)
SIX = (*FIVE, Card.PATRICIAN)
FOUR_CELEBRATIONS = (Card.FAME, Card.FAME, Card.SCANDAL, Card.SCANDAL)
SIX_CELEBRATIONS = (*FOUR_CELEBRATIONS, Card.DISGRACE, Card.DISGRACE)

WRONG_DISCARDS: list[Any] = [
    pytest.param(SIX, None, id="F24-must-be-named"),
    pytest.param(SIX, ["fame"], id="F24-no-celebrations"),
    pytest.param(SIX, ["mason", "bridge"], id="F24-exactly-as-many"),
    pytest.param(SIX, ["saboteur"], id="F24-not-held"),
    pytest.param(FIVE, ["mason"], id="F24-none-due"),
]


@pytest.mark.parametrize(("held", "named"), WRONG_DISCARDS)
def test_cards_to_go_are_named_exactly(held: tuple[Card, ...], named: list[str] | None) -> None:
    """Five cards stay, hand and buildings together; Celebrations never go."""
    state = building()
    deal(state, 0, *held)
    assert refused(state, "end_turn", cards=named) == "F24 wrong_discards"


DISCARDS: list[Any] = [
    pytest.param(SIX, ["bridge"], {Card.BRIDGE}, id="F24-chosen"),
    pytest.param(
        (*FIVE, Card.WAREHOUSE, Card.MASON), None, set(), id="F24-no-limit-with-a-warehouse"
    ),
    pytest.param(
        (*FOUR_CELEBRATIONS, Card.DISGRACE, Card.MASON),
        None,
        {Card.MASON},
        id="F24-five-celebrations",
    ),
    pytest.param(
        (*SIX_CELEBRATIONS, Card.MASON, Card.BRIDGE),
        None,
        {Card.MASON, Card.BRIDGE},
        id="F24-everything-else-goes",
    ),
    pytest.param(
        (*FOUR_CELEBRATIONS, Card.MASON, Card.MASON), None, {Card.MASON}, id="F24-no-choice"
    ),
]


@pytest.mark.parametrize(("held", "named", "discarded"), DISCARDS)
def test_the_card_limit(
    held: tuple[Card, ...], named: list[str] | None, discarded: set[Card]
) -> None:
    """Personnel and Buildings go by choice; where there is none they need not be named."""
    state = building()
    deal(state, 0, *held)

    do(state, "end_turn", cards=named)
    assert {card for card in Card if state.discards[card]} == discarded


# ---- the automatic rule (F25) ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "building_of", "chosen"),
    [
        pytest.param(2, (), "white white", id="F25-cheapest-first"),
        pytest.param(2, (WHITE,), "yellow purple", id="F25-not-what-is-being-built"),
        pytest.param(4, (WHITE, YELLOW), "purple white white yellow", id="F25-then-the-others"),
        pytest.param(9, (), "white white yellow purple", id="F25-all-there-is"),
        pytest.param(0, (), "", id="F25-none-due"),
    ],
)
def test_the_automatic_rule(count: int, building_of: tuple[int, ...], chosen: str) -> None:
    """Colours of which no tower is being built first, within each the cheapest first."""
    given = automatic(count, [2, 1, 0, 0, 0, 1], building_of)
    assert [colour.wire for colour in given] == bricks(chosen)
