"""The deck of action cards and the discards (C22)."""

from typing import Any

from domain.calimala.agenda import Activation
from domain.calimala.components import Action
from domain.calimala.state import State
from tests.domain.calimala.table import (
    SHIP_BUILD,
    activate,
    compensate,
    stack_deck,
    table,
    tags,
)


def draw_for_a_ship(state: State, seed: int = 0) -> list[Any]:
    """Let seat 1 draw for a ship that it does not have, and return the events."""
    activate(state, 1, SHIP_BUILD, times=2)
    return compensate(state, 1, "ship", seed)


def test_without_any_card_nothing_is_drawn() -> None:
    """C22, C19: the activation is used up all the same."""
    state = table()
    stack_deck(state)

    (compensated,) = draw_for_a_ship(state)
    assert compensated.drew is False
    assert compensated.card is None
    assert sum(state.players[1].hand) == 0
    assert state.agenda[-1] == Activation(1, SHIP_BUILD, [1, 2], duty=False)


def test_cards_discarded_later_become_the_deck_when_next_one_is_drawn() -> None:
    """C22: an empty deck takes the discards up before the draw."""
    state = table()
    stack_deck(state)
    state.discards[Action.WEAVE] = 2

    assert tags(draw_for_a_ship(state)) == ["deck_renewed", "compensated"]
    assert state.players[1].hand[Action.WEAVE] == 1
    assert state.deck[Action.WEAVE] == 1
