"""A turn: placing, activating, actions, cards and the deck (C14, C16-C22)."""

from typing import Any

import pytest

from domain.calimala import GAME
from domain.calimala.agenda import Activation
from domain.calimala.components import Action
from domain.calimala.state import State
from domain.errors import RuleBroken
from tests.domain.calimala.table import (
    BRICK_WOOD,
    MARBLE_WEAVE,
    SHIP_BUILD,
    WHITE,
    actions_of,
    activate,
    compensate,
    deal,
    do,
    give,
    legal,
    perform,
    place,
    placing_refused,
    refused,
    skip,
    stack_deck,
    table,
    tags,
)

# ---- placing -------------------------------------------------------------------------------------


USED_UP = [
    pytest.param("coloured", "discs", "white", id="C14-no-coloured"),
    pytest.param("white", "whites", "coloured", id="C14-no-white"),
]


@pytest.mark.parametrize(("disc", "field", "other"), USED_UP)
def test_a_disc_must_be_there(disc: str, field: str, other: str) -> None:
    """C14: a sort of disc that is used up can be placed no more."""
    state = table()
    setattr(state.players[0], field, 0)
    assert placing_refused(state, 0, BRICK_WOOD, disc) == "C14 no_such_disc"
    assert {move["disc"] for move in legal(state, 0, "place_disc")} == {other}


def test_only_the_active_player_places() -> None:
    """C14: not out of turn, and not in the midst of an activation."""
    state = table()
    assert placing_refused(state, 1, BRICK_WOOD) == "C14 not_your_turn"

    place(state, 0, BRICK_WOOD)
    assert placing_refused(state, 0, BRICK_WOOD) == "C19 wrong_phase"


# ---- activating ----------------------------------------------------------------------------------

STACKS = [
    pytest.param([], [0], id="C16-alone"),
    pytest.param([1], [0, 1], id="C16-two"),
    pytest.param([2, 1], [0, 1, 2], id="C16-top-to-bottom"),
    pytest.param([1, 2, 1], [0, 1, 2], id="C16-the-fourth-never"),
    pytest.param([2, WHITE], [0, 2], id="C16-white-counts"),
    pytest.param([1, 2, WHITE], [0, 2], id="C16-white-does-not-let-the-fourth-in"),
    pytest.param([1, WHITE, WHITE], [0], id="C18-whites-below-the-top-are-silent"),
    pytest.param([0, 1], [0, 1, 0], id="C17-two-discs-of-one-player"),
    pytest.param([0, 0], [0, 0, 0], id="C17-three-discs-of-one-player"),
]


@pytest.mark.parametrize(("stack", "owners"), STACKS)
@pytest.mark.parametrize("disc", ["coloured", "white"])
def test_the_top_three_discs_are_activated(stack: list[int], owners: list[int], disc: str) -> None:
    """C16: the new disc and the two below it, by position, each on its own."""
    state = table()
    state.streets[BRICK_WOOD] = tuple(stack)
    (placed, *_) = place(state, 0, BRICK_WOOD, disc)
    assert placed.activates == tuple(owners)


@pytest.mark.parametrize("action", ["wood", "marble"])
@pytest.mark.parametrize("kind", ["perform", "skip", "compensate"])
def test_an_action_is_one_of_the_streets_and_used_once(kind: str, action: str) -> None:
    """C17: brick-wood does not join marble, and wood is used up, whatever it was used for."""
    state = table()
    place(state, 0, BRICK_WOOD)
    perform(state, 0, "wood")
    assert refused(state, kind, 0, action=action) == "C19 action_not_activated"


def test_others_wait_while_an_activation_lasts() -> None:
    """C17: each disc is its owner's; nobody acts in another's activation."""
    state = table()
    state.streets[BRICK_WOOD] = (1,)
    place(state, 0, BRICK_WOOD)

    assert refused(state, "perform", 1, action="wood") == "C19 not_your_turn"

    perform(state, 0, "brick")
    perform(state, 0, "wood")
    assert refused(state, "perform", 0, action="wood") == "C19 not_your_turn"


# ---- actions and compensations -------------------------------------------------------------------


def test_an_impossible_action_draws_a_card() -> None:
    """C19: compensation uses the activation and draws one card."""
    state = table()
    stack_deck(state, Action.SHIP, Action.SHIP)
    activate(state, 1, MARBLE_WEAVE)
    give(state, 1, marble=4)

    (compensated, *_) = compensate(state, 1, "marble")

    assert compensated.drew is True
    assert compensated.card is Action.SHIP
    assert state.players[1].hand[Action.SHIP] == 1
    assert state.deck[Action.SHIP] == 1
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
    deal(state, 1, Action.SHIP)
    activate(state, 1, BRICK_WOOD)
    assert refused(state, "play_card", 1, action=card, cities=cities) == why
    assert legal(state, 1, "play_card") == []


def test_cards_need_an_own_activation() -> None:
    """C20: not before a disc is placed, not in another's activation."""
    state = table()
    deal(state, 0, Action.WOOD)
    deal(state, 1, Action.WOOD)
    assert refused(state, "play_card", 0, action="wood") == "C14 wrong_phase"

    place(state, 0, BRICK_WOOD)
    assert refused(state, "play_card", 1, action="wood") == "C19 not_your_turn"


# ---- the end of an activation --------------------------------------------------------------------


def test_an_activation_with_cards_waits_for_its_owner() -> None:
    """C21: they end it themselves, even if no card can be played (hands are secret)."""
    state = table()
    deal(state, 0, Action.SHIP)
    place(state, 0, BRICK_WOOD)

    assert refused(state, "end_activation", 0) == "C21 actions_left"

    perform(state, 0, "brick")
    perform(state, 0, "wood")
    assert GAME.actors(state) == (0,)
    assert tags(GAME.legal_moves(state, 0)) == ["end_activation"]

    do(state, "end_activation", 0)
    assert GAME.actors(state) == (1,)


# ---- the deck (C22) ------------------------------------------------------------------------------


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


# ---- refusals, in words --------------------------------------------------------------------------

REFUSED_MOVES = [
    pytest.param(
        {"kind": "place_disc", "seat": 1, "street": "0-3", "disc": "white"},
        "Seat 0 is to",
        id="C19-who",
    ),
    pytest.param(
        {"kind": "perform", "seat": 0, "action": "ship"},
        "left to use is brick, wood",
        id="C19-what",
    ),
    pytest.param({"kind": "end_activation", "seat": 0}, "First perform", id="C21-first"),
    pytest.param(
        {"kind": "play_card", "seat": 0, "action": "weave"}, "You hold ship", id="C20-hand"
    ),
    pytest.param(
        {"kind": "perform", "seat": 0, "action": "wood", "city": "troyes"},
        "with no parameters",
        id="C23-how",
    ),
    pytest.param({"kind": "score"}, "Seat 0 is to", id="C38-nobody-waits-for-the-house"),
]


@pytest.mark.parametrize(("move", "says"), REFUSED_MOVES)
def test_a_refusal_says_what_would_be_legal(move: dict[str, Any], says: str) -> None:
    """Seat 0 has just placed on brick-wood and holds a ship card."""
    state = table()
    deal(state, 0, Action.SHIP)
    place(state, 0, BRICK_WOOD)
    with pytest.raises(RuleBroken, match=says):
        do(state, **move)
