"""Events that touch their taker only, and a Patrician against an event (F31, F32, F35)."""

from typing import Any

import pytest

from domain.firenze.agenda import Step
from domain.firenze.components import Card
from tests.domain.firenze.table import (
    GREEN,
    PURPLE,
    deal,
    do,
    event_taken,
    move_kinds,
    offer,
    refused,
    stock,
    store,
    table,
    tags,
)

CANCELLED = ["personnel_played", "event_answered", "card_spent", "row_refilled"]


# ---- a Patrician against an event (F31) ------------------------------------------------------


def test_the_patrician_cancels_an_event_for_everybody() -> None:
    """F31 (a): nothing is lost, the Patrician and the event are discarded."""
    state = event_taken(Card.FLOOD, Card.PATRICIAN)
    assert move_kinds(state, 0) == ["answer_event", "answer_event"]

    assert tags(do(state, "answer_event", patrician=True)) == CANCELLED
    assert stock(state, 1) == {"green": 1}
    assert state.discards[Card.PATRICIAN] == 1
    assert state.discards[Card.FLOOD] == 1


def test_with_spares_the_others_are_hit() -> None:
    """F31: the option spares the Patrician's owner only."""
    state = event_taken(Card.FLOOD, Card.PATRICIAN, patrician="spares")
    do(state, "answer_event", patrician=True)
    assert stock(state, 0) == {"red": 1, "blue": 1, "green": 1, "purple": 1}
    assert stock(state, 1) == {}


@pytest.mark.parametrize(
    "card",
    [
        pytest.param(Card.BOTCH, id="F31-botch"),
        pytest.param(Card.STOREHOUSE_FIRE, id="F31-storehouse-fire"),
        pytest.param(Card.RENAISSANCE, id="F31-renaissance"),
    ],
)
def test_with_spares_other_events_are_cancelled(card: Card) -> None:
    """F31: events that touch only their taker, and Renaissance, are as with cancels."""
    state = event_taken(card, Card.PATRICIAN, patrician="spares")
    assert tags(do(state, "answer_event", patrician=True)) == CANCELLED


@pytest.mark.parametrize(
    ("held", "played", "asked"),
    [
        pytest.param((Card.PATRICIAN,), (), True, id="F31-asked-even-in-vain"),
        pytest.param((), (), False, id="F31-without-one"),
        pytest.param((Card.PATRICIAN,), (Card.PATRICIAN,), False, id="F31-one-a-turn"),
    ],
)
def test_who_is_asked(held: tuple[Card, ...], played: tuple[Card, ...], asked: bool) -> None:
    """With a Patrician in the hand and none played, also when the event would do nothing."""
    state = table()
    deal(state, 0, *held)
    state.played.extend(played)
    offer(state, 0, Card.COLLAPSE, GREEN)

    do(state, "take_card", slot=0)
    assert (state.agenda[-1].step is Step.ANSWER) == asked


# ---- events for the taker (F32) --------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param({"tower": 3}, "F32 no_such_tower", id="F32-no-such-tower"),
        pytest.param({}, "F32 no_such_tower", id="F32-no-tower-named"),
        pytest.param({"tower": 0, "bricks": ["red"]}, "F32 not_asked", id="F32-no-bricks"),
    ],
)
def test_collapse_asks_for_a_tower(fields: dict[str, Any], why: str) -> None:
    """One's own, and no bricks beside it."""
    assert refused(event_taken(Card.COLLAPSE), "resolve_event", **fields) == why


FIRES: list[Any] = [
    pytest.param(
        {"red": 2, "blue": 2},
        ["blue", "blue"],
        {"red": 1, "green": 1, "purple": 1},
        id="F32-of-choice",
    ),
    pytest.param({"red": 1}, None, {"green": 1, "purple": 1}, id="F32-all-there-are"),
    pytest.param({"green": 4}, None, {"green": 2, "purple": 1}, id="F32-not-the-cards-bricks"),
]


@pytest.mark.parametrize(("stored", "named", "left"), FIRES)
def test_storehouse_fire(
    stored: dict[str, int], named: list[str] | None, left: dict[str, int]
) -> None:
    """3 bricks, or all, of choice; bricks that came with the card do not burn."""
    state = table()
    store(state, 0, **stored)
    offer(state, 0, Card.STOREHOUSE_FIRE, GREEN, PURPLE)
    do(state, "take_card", slot=0)
    assert refused(state, "resolve_event", bricks=["purple"]) == "F32 no_such_brick"
    assert refused(state, "resolve_event", tower=0) == "F32 not_asked"

    do(state, "resolve_event", bricks=named)
    assert stock(state, 0) == left


@pytest.mark.parametrize(
    "card",
    [
        pytest.param(Card.BOTCH, id="F32-botch"),
        pytest.param(Card.COLLAPSE, id="F32-collapse"),
        pytest.param(Card.STOREHOUSE_FIRE, id="F32-storehouse-fire"),
    ],
)
def test_nothing_to_lose(card: Card) -> None:
    """F32: without a tower, or without bricks, nothing happens and nothing is asked."""
    state = table()
    store(state, 0)
    offer(state, 0, card, GREEN)

    events = do(state, "take_card", slot=0)
    assert tags(events) == ["card_taken", "card_spent", "row_refilled"]
    assert stock(state, 0) == {"green": 1}


# ---- Renaissance (F35) -----------------------------------------------------------------------


def test_renaissance_shuffles_everything_but_the_row() -> None:
    """F35: discards, deck and this card become the deck, out of which the gap is filled."""
    state = table()
    for card in (Card.FAME, Card.MASON):
        state.deck[card] -= 1
        state.discards[card] += 1
    offer(state, 0, Card.RENAISSANCE, GREEN)
    deck_before = sum(state.deck) + sum(state.start)

    events = do(state, "take_card", slot=0)

    assert tags(events) == ["card_taken", "card_spent", "deck_shuffled", "row_refilled"]
    shuffled_in = 2 + 1
    assert sum(state.deck) == deck_before + shuffled_in - 1
    assert sum(state.start) == 0
    assert sum(state.discards) == 0
