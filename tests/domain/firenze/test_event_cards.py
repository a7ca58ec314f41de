"""Event cards (F31-F35)."""

from typing import Any

import pytest

from domain.firenze import GAME
from domain.firenze.agenda import Step
from domain.firenze.components import Card, Colour
from domain.firenze.state import State
from tests.domain.firenze.table import (
    GREEN,
    PURPLE,
    RED,
    bricks,
    deal,
    do,
    event_taken,
    holding,
    move_kinds,
    offer,
    raise_tower,
    refused,
    stock,
    store,
    table,
    tags,
    towers,
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
    """F31: events that touch only their taker, and Renaissance, are cancelled all the same."""
    state = event_taken(card, Card.PATRICIAN, patrician="spares")
    assert tags(do(state, "answer_event", patrician=True)) == CANCELLED


@pytest.mark.parametrize(
    ("hand", "played", "is_asked"),
    [
        pytest.param((Card.PATRICIAN,), (), True, id="F31-asked-even-in-vain"),
        pytest.param((), (), False, id="F31-without-one"),
        pytest.param((Card.PATRICIAN,), (Card.PATRICIAN,), False, id="F31-one-a-turn"),
    ],
)
def test_holders_of_an_unplayed_patrician_are_asked(
    hand: tuple[Card, ...], played: tuple[Card, ...], is_asked: bool
) -> None:
    """F31: a taker with a Patrician and none played is asked, even if the event does nothing."""
    state = table()
    deal(state, 0, *hand)
    state.played.extend(played)
    offer(state, 0, Card.COLLAPSE, GREEN)

    do(state, "take_card", slot=0)
    assert (state.agenda[-1].step is Step.ANSWER) == is_asked


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
    """F32: Collapse asks for an own tower, and for no bricks."""
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


@pytest.mark.parametrize(("stored", "choice", "rest"), FIRES)
def test_storehouse_fire(
    stored: dict[str, int], choice: list[str] | None, rest: dict[str, int]
) -> None:
    """F32: 3 bricks of choice burn, or all, but no bricks that came with the card."""
    state = table()
    store(state, 0, **stored)
    offer(state, 0, Card.STOREHOUSE_FIRE, GREEN, PURPLE)
    do(state, "take_card", slot=0)

    assert refused(state, "resolve_event", bricks=["purple"]) == "F32 no_such_brick"
    assert refused(state, "resolve_event", tower=0) == "F32 not_asked"

    do(state, "resolve_event", bricks=choice)
    assert stock(state, 0) == rest


# ---- Renaissance (F35) -----------------------------------------------------------------------


def test_renaissance_shuffles_everything_but_the_row() -> None:
    """F35: discards, deck and this card become the deck. Its next card fills the gap."""
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


# ---- events for all (F33) --------------------------------------------------------------------


# The event, the bricks and towers of a seat, its remaining bricks, and its standing towers.
DUES: dict[str, tuple[Card, str, str, str, str]] = {
    "F33-flood-four-to-two": (Card.FLOOD, "green 4", "", "green 2", ""),
    "F33-flood-three": (Card.FLOOD, "green 3", "", "green 2", ""),
    "F33-flood-seven": (Card.FLOOD, "green 7", "", "green 4", ""),
    "F33-flood-none": (Card.FLOOD, "", "", "", ""),
    "F33-tribute-paid": (Card.TRIBUTE, "red 1", "red 4", "", "red 4"),
    "F33-tribute-not-its-colour": (Card.TRIBUTE, "blue 3", "red 5", "blue 3, red 2", ""),
    "F33-tribute-tallest": (Card.TRIBUTE, "red 1", "red 3, blue 1, red 4", "red 1", "red 4"),
    "F33-tax-any-colours": (Card.LUXURY_TAX, "red 1, blue 1", "red 5", "", "red 5"),
    "F33-tax-half-paid": (Card.LUXURY_TAX, "blue 1", "red 5", "red 2, blue 1", ""),
    "F33-tax-tallest-first-and-low-ones-free": (
        *(Card.LUXURY_TAX, "blue 3", "red 5, green 6, blue 4"),
        *("blue 1, red 2", "green 6, blue 4"),
    ),
    "F33-tax-bricks-come-back-after-the-payments": (
        *(Card.LUXURY_TAX, "", "red 5, green 5"),
        *("red 2, green 2", ""),
    ),
}


def counts(text: str) -> list[tuple[str, int]]:
    """Return the colours and numbers of a text such as "blue 1, red 2", "" for none."""
    parts = [part.split() for part in text.split(", ") if part]
    return [(colour, int(number)) for colour, number in parts]


@pytest.mark.parametrize(("card", "stored", "built", "rest", "stand"), DUES.values(), ids=DUES)
def test_events_take_bricks_from_all(
    card: Card, stored: str, built: str, rest: str, stand: str
) -> None:
    """Flood: a third of the bricks, rounded up.

    Tribute: a brick of its colour for each tower. Luxury Tax: 2 bricks for each tower of 5 or more
    levels. A seat must pay if it can. Unpaid towers are torn down, half of each saved.
    """
    state = table()
    store(state, 1, **dict(counts(stored)))
    for colour, height in counts(built):
        raise_tower(state, 1, Colour.of(colour), height)

    offer(state, 0, card)
    do(state, "take_card", slot=0)

    assert stock(state, 1) == dict(counts(rest))
    assert [(colour.wire, height) for colour, height in towers(state, 1)] == counts(stand)


def test_the_older_of_equal_towers_is_kept() -> None:
    """F33: if one brick must pay for two towers of equal height, the older tower stays."""
    state = table()
    store(state, 1, red=1)
    for _ in range(2):
        raise_tower(state, 1, RED, 3)
    offer(state, 0, Card.TRIBUTE)
    do(state, "take_card", slot=0)
    assert [tower.id for tower in state.players[1].towers] == [0]


# ---- who chooses what is handed over (F34) ---------------------------------------------------


def flood_among_three() -> State:
    """Seat 0 took a Flood, discards are chosen. Seats 0 and 2 have bricks, seat 1 has none."""
    state = table(3, discards="chosen")
    store(state, 0, red=2, blue=2)
    store(state, 1)
    store(state, 2, white=1, red=1)
    offer(state, 0, Card.FLOOD, PURPLE)
    do(state, "take_card", slot=0)
    return state


def test_discards_may_be_chosen() -> None:
    """F34: every seat that must hand over a brick is asked, in turn order. Others are not."""
    state = flood_among_three()

    assert GAME.actors(state) == (0,)
    assert move_kinds(state, 0) == ["discard"]

    first = bricks("red blue")
    do(state, "discard", 0, bricks=first)
    assert GAME.actors(state) == (2,)
    assert len(state.row) == 5

    do(state, "discard", 2, bricks=["red"])
    assert GAME.actors(state) == (0,)
    assert state.agenda[-1].step is Step.BUILD
    assert len(state.row) == 6
    assert stock(state, 0) == {"red": 1, "blue": 1, "purple": 1}
    assert stock(state, 2) == {"white": 1}


def test_illegal_handovers_are_refused() -> None:
    """F34: seats hand over in turn, no brick of the card, and no more than are due."""
    state = flood_among_three()
    too_many = bricks("red red red")
    assert refused(state, "discard", 2) == "F1 not_your_turn"
    assert refused(state, "discard", 0, bricks=["purple"]) == "F34 no_such_brick"
    assert refused(state, "discard", 0, bricks=too_many) == "F34 too_many_bricks"


def test_towers_fall_after_the_last_payment() -> None:
    """F34: seat 0 cannot pay, and loses its tower only when seat 1 has paid.

    A Tribute takes the tower's colour.
    """
    state = holding(discards="chosen")
    store(state, 0)
    store(state, 1, blue=1, green=1)
    offer(state, 0, Card.TRIBUTE)
    do(state, "take_card", slot=0)

    assert GAME.actors(state) == (1,)
    assert towers(state, 0) == [(RED, 2)]
    assert refused(state, "discard", 1, bricks=["green"]) == "F34 no_such_brick"

    do(state, "discard", 1)
    assert stock(state, 1) == {"green": 1}
    assert towers(state, 0) == []
    assert stock(state, 0) == {"red": 1}
