"""Choosing a card: prices, bricks, where it goes, the Monument, exchanges (F14-F18, F36)."""

from typing import Any

import pytest

from domain.firenze.components import NO_BRICKS, Card
from domain.firenze.state import State
from tests.domain.firenze.table import (
    BLUE,
    GREEN,
    PURPLE,
    RED,
    WHITE,
    deal,
    do,
    offer,
    raise_tower,
    refused,
    stock,
    store,
    table,
    tags,
)

# ---- paying for a card (F14) -----------------------------------------------------------------


NOT_TAKEN = [
    pytest.param({"slot": 6}, "F14 no_such_slot", id="F14-no-such-slot"),
    pytest.param({"slot": -1}, "F14 no_such_slot", id="F14-slot-from-the-right"),
    pytest.param({"slot": 3}, "F14 cannot_pay", id="F14-the-bricks-on-the-card-do-not-pay"),
    pytest.param({"slot": 2, "payment": ["white"]}, "F14 wrong_payment", id="F14-too-little"),
    pytest.param({"slot": 1, "payment": ["white"] * 2}, "F14 wrong_payment", id="F14-too-much"),
    pytest.param({"slot": 0, "payment": ["white"]}, "F14 wrong_payment", id="F14-slot-0-is-free"),
    pytest.param({"slot": 1, "payment": ["red"]}, "F14 no_such_brick", id="F14-not-held"),
]


@pytest.mark.parametrize(("fields", "why"), NOT_TAKEN)
def test_what_cannot_be_taken(fields: dict[str, Any], why: str) -> None:
    """With two white bricks the slots 0 to 2 can be paid for, before anything is taken."""
    assert refused(table(), "take_card", **fields) == why


def test_a_card_must_be_chosen_first() -> None:
    """F14: nothing but a card or Personnel before that, and only in one's own turn (F1)."""
    state = table()
    assert refused(state, "build") == "F14 wrong_phase"
    assert refused(state, "end_turn") == "F14 wrong_phase"
    assert refused(state, "exchange", slot=0, take="white") == "F14 wrong_phase"
    assert refused(state, "take_card", 1, slot=0) == "F1 not_your_turn"


# ---- where it goes (F15) ---------------------------------------------------------------------

PLACES = [
    pytest.param(Card.ALCHEMIST, (), "cards", id="F15-personnel-to-the-hand"),
    pytest.param(Card.SCANDAL, (), "cards", id="F15-celebration-to-the-hand"),
    pytest.param(Card.WORKSHOP, (), "cards", id="F15-building-opens"),
    pytest.param(Card.WORKSHOP, (Card.WORKSHOP,), "discards", id="F15-second-building-discarded"),
    pytest.param(Card.PRIVILEGE, (), "church", id="F15-church-opens"),
    pytest.param(Card.BOTCH, (), "discards", id="F15-event-discarded"),
]


@pytest.mark.parametrize(("card", "held", "place"), PLACES)
def test_where_a_taken_card_goes(card: Card, held: tuple[Card, ...], place: str) -> None:
    """Its bricks go to the storehouse in any case."""
    state = table()
    deal(state, 0, *held)
    offer(state, 0, card, GREEN, GREEN)

    do(state, "take_card", slot=0)

    copies = {
        "cards": state.players[0].cards[card] - len(held),
        "discards": state.discards[card],
        "church": state.church.count(card),
    }

    assert [name for name, count in copies.items() if count] == [place]
    assert stock(state, 0) == {"white": 2, "green": 2}


# ---- the refill (F16, F17) -------------------------------------------------------------------


def test_a_short_pouch_gives_what_it_has() -> None:
    """F16: two bricks are left, two lie on the new card, and it is never topped up."""
    state = table()
    leave_in_pouch(state, 2)

    do(state, "take_card", slot=0)

    assert sum(state.row[5].bricks) == 2
    assert sum(state.pouch) == 0

    store(state, 0)
    assert sum(state.pouch) > 0
    assert sum(state.row[5].bricks) == 2


def leave_in_pouch(state: State, count: int) -> None:
    """Leave only so many white bricks in the pouch; the others go to seat 1."""
    storehouse = state.players[1].storehouse
    for colour, bricks_left in enumerate(state.pouch):
        storehouse[colour] += bricks_left
    storehouse[WHITE] -= count
    state.pouch = [*NO_BRICKS]
    state.pouch[WHITE] = count


def test_without_any_card_the_row_gets_shorter() -> None:
    """F17: no deck and no discards."""
    state = table()
    empty_deck(state)

    assert tags(do(state, "take_card", slot=0))[-1] == "row_shortened"
    assert len(state.row) == 5

    do(state, "end_turn", cards=[])
    do(state, "take_card", 1, slot=0)
    assert len(state.row) == 4


def empty_deck(state: State) -> None:
    """Give all cards of the deck to seat 1."""
    for card in Card:
        state.players[1].cards[card] += state.deck[card] + state.start[card]
        state.deck[card] = 0
        state.start[card] = 0


# ---- the Monument (F36) --------------------------------------------------------------------------


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
