"""Choosing a card (F14-F17)."""

from typing import Any

import pytest

from domain.firenze import GAME
from domain.firenze import events as ev
from domain.firenze.cards import Card
from domain.firenze.pouch import draw_bricks
from domain.firenze.state import State
from tests.domain.firenze.table import (
    BLUE,
    GREEN,
    PURPLE,
    RED,
    WHITE,
    bricks,
    deal,
    do,
    offer,
    only,
    refused,
    stock,
    store,
    table,
    tags,
)


def test_the_leftmost_card_is_free() -> None:
    """F14: even an empty storehouse can take slot 0, so a turn is never stuck."""
    state = table()
    store(state, 0)
    moves: Any = GAME.legal_moves(state, 0)
    assert [move.slot for move in moves] == [0]
    do(state, "take_card", slot=0)
    assert stock(state, 0) == {"white": 2, "yellow": 2}


def test_a_card_costs_a_brick_for_each_slot_left_of_it() -> None:
    """F14: the first brick of the payment goes onto slot 0, the second onto slot 1, in this order."""
    state = table()
    store(state, 0, red=1, blue=1)
    do(state, "take_card", slot=2, payment=bricks("blue red"))
    assert [(slot.bricks[BLUE], slot.bricks[RED]) for slot in state.row[:3]] == [
        (1, 0),
        (0, 1),
        (0, 0),
    ]
    assert stock(state, 0) == {"white": 2, "yellow": 2}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param({"slot": 6}, "F14 no_such_slot", id="F14-no-such-slot"),
        pytest.param({"slot": -1}, "F14 no_such_slot", id="F14-slot-from-the-right"),
        pytest.param({"slot": 3}, "F14 cannot_pay", id="F14-the-bricks-on-the-card-do-not-pay"),
        pytest.param({"slot": 2, "payment": ["white"]}, "F14 wrong_payment", id="F14-too-little"),
        pytest.param(
            {"slot": 1, "payment": ["white", "white"]}, "F14 wrong_payment", id="F14-too-much"
        ),
        pytest.param({"slot": 1, "payment": ["red"]}, "F14 no_such_brick", id="F14-not-held"),
    ],
)
def test_what_cannot_be_taken(fields: dict[str, Any], why: str) -> None:
    """With two white bricks the slots 0 to 2 can be paid for, before anything is taken."""
    assert refused(table(), "take_card", **fields) == why


def test_a_card_must_be_chosen_first() -> None:
    """F14: nothing but a card or Personnel before that."""
    state = table()
    assert refused(state, "build") == refused(state, "end_turn") == "F14 wrong_phase"
    assert refused(state, "exchange", slot=0, take="white") == "F14 wrong_phase"
    assert refused(state, "take_card", 1, slot=0) == "F1 not_your_turn"


@pytest.mark.parametrize(
    ("card", "held", "place"),
    [
        pytest.param(Card.ALCHEMIST, (), "cards", id="F15-personnel-to-the-hand"),
        pytest.param(Card.SCANDAL, (), "cards", id="F15-celebration-to-the-hand"),
        pytest.param(Card.WORKSHOP, (), "cards", id="F15-building-opens"),
        pytest.param(
            Card.WORKSHOP, (Card.WORKSHOP,), "discards", id="F15-second-building-discarded"
        ),
        pytest.param(Card.PRIVILEGE, (), "church", id="F15-church-opens"),
        pytest.param(Card.BOTCH, (), "discards", id="F15-event-discarded"),
    ],
)
def test_where_a_taken_card_goes(card: Card, held: tuple[Card, ...], place: str) -> None:
    """Its bricks go to the storehouse in any case."""
    state = table()
    deal(state, 0, *held)
    offer(state, 0, card, GREEN, GREEN)
    do(state, "take_card", slot=0)
    player = state.players[0]
    found = {
        "cards": player.cards[card] - len(held),
        "discards": state.discards[card],
        "church": card in state.church,
    }
    assert {name for name, count in found.items() if count} == {place}
    assert stock(state, 0) == {"white": 2, "green": 2}


def test_the_row_closes_up_and_is_refilled_at_once() -> None:
    """F16: the others move left; a card with four bricks comes to slot 5, and serves the exchange of this turn."""
    state = table()
    cards = [slot.card for slot in state.row]
    events = do(state, "take_card", slot=1)
    drawn = only(events, ev.RowRefilled)
    assert [slot.card for slot in state.row] == [cards[0], *cards[2:], drawn.card]
    assert sum(state.row[5].bricks) == len(drawn.bricks) == 4
    do(state, "exchange", slot=5, take=drawn.bricks[0].wire)


def test_while_an_event_waits_the_row_has_five_cards() -> None:
    """F16: the refill is drawn after the event, and no Personnel may be played before."""
    state = table()
    deal(state, 0, Card.PATRICIAN, Card.ALCHEMIST)
    offer(state, 0, Card.RENAISSANCE, GREEN)
    do(state, "take_card", slot=0)
    assert len(state.row) == 5
    assert (
        refused(state, "play_personnel", card="alchemist", take="red", give="green")
        == "F31 wrong_phase"
    )
    do(state, "answer_event", patrician=False)
    assert len(state.row) == 6


class Fixed:
    """Chance that always draws this number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def below(self, n: int) -> int:
        return min(self.number, n - 1)


def test_every_brick_of_the_pouch_is_as_likely() -> None:
    """F13, F16: of two white, a green and a purple brick each of the four numbers draws another one."""
    drawn = [draw_bricks([2, 0, 1, 0, 0, 1], 1, Fixed(number)) for number in range(4)]
    assert drawn == [(WHITE,), (WHITE,), (GREEN,), (PURPLE,)]
    assert sorted(draw_bricks([2, 0, 1, 0, 0, 1], 9, Fixed(1))) == [WHITE, WHITE, GREEN, PURPLE]


def test_a_short_pouch_gives_what_it_has() -> None:
    """F16: two bricks are left, two lie on the new card, and it is never topped up."""
    state = table()
    hide_pouch(state, keep=2)
    do(state, "take_card", slot=0)
    assert (sum(state.row[5].bricks), sum(state.pouch)) == (2, 0)
    store(state, 0)
    assert sum(state.row[5].bricks) == 2


def hide_pouch(state: State, keep: int) -> None:
    """Leave only so many white bricks in the pouch; the others go to seat 1."""
    storehouse = state.players[1].storehouse
    storehouse[:] = [have + more for have, more in zip(storehouse, state.pouch, strict=True)]
    storehouse[WHITE] -= keep
    state.pouch[:] = [keep, 0, 0, 0, 0, 0]


def test_the_discards_become_the_deck() -> None:
    """F17: with an empty deck the discards are shuffled."""
    state = table()
    empty_deck(state)
    state.discards[Card.FAME], state.players[1].cards[Card.FAME] = 2, 0
    events = do(state, "take_card", slot=0)
    assert tags(events)[-2:] == ["deck_shuffled", "row_refilled"]
    assert state.row[5].card is Card.FAME
    assert (state.deck[Card.FAME], sum(state.discards)) == (1, 0)


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
        state.deck[card] = state.start[card] = 0
