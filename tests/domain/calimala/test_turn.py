"""A turn: placing a disc and activating the stack (C14, C16-C18)."""

import pytest

from domain.calimala import GAME
from domain.calimala.agenda import Activation
from domain.calimala.state import State
from domain.chance import Draws
from domain.game import Draft
from tests.domain.calimala.table import (
    BRICK_WOOD,
    WHITE,
    legal,
    perform,
    place,
    placing_refused,
    refused,
    table,
)


def perform_in_order(state: State, seat: int, order: str) -> None:
    """Perform brick (A) and wood (B) in the given order."""
    for letter in order:
        action = "brick" if letter == "A" else "wood"
        perform(state, seat, action)


def skip_all(state: State) -> list[int]:
    """Let everybody skip all actions but those that they must carry out.

    Returns whose activations these were, in order.
    """
    owners = []
    activation = state.agenda[-1]
    while isinstance(activation, Activation):
        owners.append(activation.seat)
        while state.agenda[-1] is activation:
            skip_or_do(state, activation.seat)
        activation = state.agenda[-1]
    return owners


def skip_or_do(state: State, seat: int) -> None:
    """Make the first legal move of the seat that skips something, or else the first of all."""
    moves = GAME.legal_moves(state, seat)
    skips = [move for move in moves if move.tag == "skip"]
    draft = Draft(state, GAME.evolve, Draws(b""))
    GAME.play(draft, (skips or moves)[0])


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
    assert skip_all(state) == owners


ORDERS = [
    pytest.param("coloured", "AB", id="C17-AB"),
    pytest.param("coloured", "BA", id="C17-BA"),
    pytest.param("white", "AABB", id="C18-AABB"),
    pytest.param("white", "ABAB", id="C18-ABAB"),
    pytest.param("white", "ABBA", id="C18-ABBA"),
    pytest.param("white", "BBAA", id="C18-BBAA"),
]


@pytest.mark.parametrize(("disc", "order"), ORDERS)
def test_each_action_is_carried_out_in_any_order(disc: str, order: str) -> None:
    """C17: a coloured disc each action once; C18: the white one just placed, twice."""
    state = table()
    place(state, 0, BRICK_WOOD, disc)
    perform_in_order(state, 0, order)

    times = len(order) // 2
    assert state.players[0].stock == [times, times, 0]
    assert GAME.actors(state) == (1,)


def test_an_action_must_be_one_of_the_streets() -> None:
    """C17: brick-wood does not join marble."""
    state = table()
    place(state, 0, BRICK_WOOD)
    assert refused(state, "perform", 0, action="marble") == "C19 action_not_activated"


@pytest.mark.parametrize("kind", ["perform", "skip", "compensate"])
def test_an_action_is_used_once(kind: str) -> None:
    """C17: not twice by a coloured disc, whatever it is used for."""
    state = table()
    place(state, 0, BRICK_WOOD)
    perform(state, 0, "wood")
    assert refused(state, kind, 0, action="wood") == "C19 action_not_activated"


def test_others_wait_while_an_activation_lasts() -> None:
    """C17: each disc is its owner's; nobody acts in another's activation."""
    state = table()
    state.streets[BRICK_WOOD] = (1,)
    place(state, 0, BRICK_WOOD)
    assert refused(state, "perform", 1, action="wood") == "C19 not_your_turn"

    perform_in_order(state, 0, "AB")
    assert refused(state, "perform", 0, action="wood") == "C19 not_your_turn"

    perform_in_order(state, 1, "AB")
