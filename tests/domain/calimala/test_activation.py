"""Using an activation: actions, compensations, cards, and its end (C19-C21)."""

import pytest

from domain.calimala import GAME
from domain.calimala.components import Action
from domain.errors import RuleBroken
from tests.domain.calimala.table import (
    BRICK_WOOD,
    MARBLE_WEAVE,
    SHIP_BUILD,
    actions_of,
    activate,
    compensate,
    deal,
    do,
    give,
    legal,
    perform,
    place,
    refused,
    skip,
    stack_deck,
    table,
    tags,
)

WOOD, BRICK, WEAVE, SHIP = Action.WOOD, Action.BRICK, Action.WEAVE, Action.SHIP


# ---- actions and compensations -------------------------------------------------------------------


def test_an_impossible_action_draws_a_card() -> None:
    """C19: compensation uses the activation and draws one card."""
    state = table()
    stack_deck(state, SHIP, SHIP)
    activate(state, 1, MARBLE_WEAVE)
    give(state, 1, marble=4)

    (compensated, *_) = compensate(state, 1, "marble")
    assert compensated.drew is True
    assert compensated.card is SHIP
    assert state.players[1].hand[SHIP] == 1
    assert state.deck[SHIP] == 1
    assert actions_of(legal(state, 1, "skip")) == ["weave"]


def test_a_possible_action_draws_nothing() -> None:
    """C19: it may be carried out or skipped, and skipping draws no card."""
    state = table()
    activate(state, 1, MARBLE_WEAVE)
    assert refused(state, "compensate", 1, action="marble") == "C19 action_possible"

    assert tags(skip(state, 1, "marble")) == ["action_skipped"]
    assert sum(state.players[1].hand) == 0


def test_an_impossible_action_cannot_be_performed() -> None:
    """C19: the refusal names the action's own rule (C27)."""
    state = table()
    activate(state, 1, SHIP_BUILD)
    assert refused(state, "perform", 1, action="ship", cities=["lisbon"]) == "C27 action_impossible"


# ---- cards ---------------------------------------------------------------------------------------


USELESS_CARDS = [
    pytest.param("ship", ["lisbon"], "C27 action_impossible", id="C20-must-be-possible"),
    pytest.param("brick", None, "C20 card_not_held", id="C20-must-be-held"),
]


@pytest.mark.parametrize(("card", "cities", "why"), USELESS_CARDS)
def test_a_card_that_cannot_be_carried_out_stays(
    card: str, cities: list[str] | None, why: str
) -> None:
    """C20: no card is played for nothing."""
    state = table()
    deal(state, 1, SHIP)
    activate(state, 1, BRICK_WOOD)
    assert refused(state, "play_card", 1, action=card, cities=cities) == why
    assert legal(state, 1, "play_card") == []


def test_cards_need_an_own_activation() -> None:
    """C20: not before a disc is placed, not in another's activation."""
    state = table()
    deal(state, 0, WOOD)
    deal(state, 1, WOOD)
    assert refused(state, "play_card", 0, action="wood") == "C14 wrong_phase"

    place(state, 0, BRICK_WOOD)
    assert refused(state, "play_card", 1, action="wood") == "C19 not_your_turn"


# ---- the end of an activation --------------------------------------------------------------------


def test_a_used_up_activation_has_no_action_left() -> None:
    """C19, C21: with cards in hand it goes on, but its actions do not."""
    state = table()
    deal(state, 0, SHIP)
    place(state, 0, BRICK_WOOD)
    perform(state, 0, "brick")
    perform(state, 0, "wood")

    with pytest.raises(RuleBroken, match="All actions are used up"):
        perform(state, 0, "wood")


def test_an_activation_with_cards_waits_for_its_owner() -> None:
    """C21: they end it themselves, even if no card can be played (hands are secret)."""
    state = table()
    deal(state, 0, SHIP)
    place(state, 0, BRICK_WOOD)
    assert refused(state, "end_activation", 0) == "C21 actions_left"

    perform(state, 0, "brick")
    perform(state, 0, "wood")
    assert GAME.actors(state) == (0,)
    assert tags(GAME.legal_moves(state, 0)) == ["end_activation"]

    do(state, "end_activation", 0)
    assert GAME.actors(state) == (1,)
