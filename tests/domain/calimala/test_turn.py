"""A turn: placing a disc, activating the stack, using actions and cards (C14, C16-C22)."""

from typing import Any

import pytest

from domain import wire
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
    activate,
    deal,
    do,
    give,
    legal,
    refused,
    stack_deck,
    table,
    tags,
)

WOOD, BRICK, WEAVE, SHIP = Action.WOOD, Action.BRICK, Action.WEAVE, Action.SHIP


def use_up(state: State) -> list[int]:
    """Let everybody skip all actions after carrying out what he must; return whose activations came."""
    owners = []
    while isinstance(top := state.agenda[-1], Activation):
        owners.append(top.seat)
        while state.agenda[-1] is top:
            moves = GAME.legal_moves(state, top.seat)
            move = next((each for each in moves if each.tag == "skip"), moves[0])
            _repeat(state, move)
    return owners


def _repeat(state: State, move: Any) -> None:
    fields = wire.encode(move)
    do(state, fields.pop("type"), **fields)


# ---- placing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seats", [pytest.param(seats, id=f"C14-{seats}-seats") for seats in (3, 4, 5)]
)
def test_turns_go_clockwise(seats: int) -> None:
    """C14: seat 0, 1, ... and round again."""
    state = table(seats)
    for turn in range(2 * seats):
        assert GAME.actors(state) == (turn % seats,)
        do(state, "place_disc", turn % seats, street="0-3", disc="coloured")
        state.streets[BRICK_WOOD] = []
        uses(state, turn % seats, "AB")


def test_a_disc_goes_on_top() -> None:
    """C14: on any street, above what lies there, taken from the player's discs."""
    state = table()
    state.streets[BRICK_WOOD] = [2]
    do(state, "place_disc", 0, street="0-3", disc="white")
    assert state.streets[BRICK_WOOD] == [2, WHITE]
    assert (state.players[0].discs, state.players[0].whites) == (12, 2)


@pytest.mark.parametrize(
    ("disc", "left", "other"),
    [
        pytest.param("coloured", "discs", "white", id="C14-no-coloured"),
        pytest.param("white", "whites", "coloured", id="C14-no-white"),
    ],
)
def test_a_disc_must_be_there(disc: str, left: str, other: str) -> None:
    """C14: a sort of disc that is used up can be placed no more."""
    state = table()
    setattr(state.players[0], left, 0)
    assert refused(state, "place_disc", 0, street="0-3", disc=disc) == "C14 no_such_disc"
    assert {move["disc"] for move in legal(state, 0, "place_disc")} == {other}


def test_only_the_active_player_places() -> None:
    """C14: not out of turn, and not in the midst of an activation."""
    state = table()
    assert refused(state, "place_disc", 1, street="0-3", disc="coloured") == "C14 not_your_turn"
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    assert refused(state, "place_disc", 0, street="0-3", disc="coloured") == "C19 wrong_phase"


# ---- activating ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stack", "owners"),
    [
        pytest.param([], [0], id="C16-alone"),
        pytest.param([1], [0, 1], id="C16-two"),
        pytest.param([2, 1], [0, 1, 2], id="C16-top-to-bottom"),
        pytest.param([1, 2, 1], [0, 1, 2], id="C16-the-fourth-never"),
        pytest.param([2, WHITE], [0, 2], id="C16-white-counts"),
        pytest.param([1, 2, WHITE], [0, 2], id="C16-white-does-not-let-the-fourth-in"),
        pytest.param([1, WHITE, WHITE], [0], id="C18-whites-below-the-top-are-silent"),
        pytest.param([0, 1], [0, 1, 0], id="C17-two-discs-of-one-player"),
        pytest.param([0, 0], [0, 0, 0], id="C17-three-discs-of-one-player"),
    ],
)
@pytest.mark.parametrize("disc", ["coloured", "white"])
def test_the_top_three_discs_are_activated(stack: list[int], owners: list[int], disc: str) -> None:
    """C16: the new disc and the two below it, by position, each on its own."""
    state = table()
    state.streets[BRICK_WOOD] = stack[:]
    (placed, *_) = do(state, "place_disc", 0, street="0-3", disc=disc)
    assert placed.activates == tuple(owners)
    assert use_up(state) == owners


def uses(state: State, seat: int, order: str) -> None:
    """Perform brick (A) and wood (B) in the given order."""
    for letter in order:
        do(state, "perform", seat, action={"A": "brick", "B": "wood"}[letter])


@pytest.mark.parametrize(
    ("disc", "order"),
    [
        pytest.param("coloured", "AB", id="C17-AB"),
        pytest.param("coloured", "BA", id="C17-BA"),
        pytest.param("white", "AABB", id="C18-AABB"),
        pytest.param("white", "ABAB", id="C18-ABAB"),
        pytest.param("white", "ABBA", id="C18-ABBA"),
        pytest.param("white", "BBAA", id="C18-BBAA"),
    ],
)
def test_each_action_is_carried_out_in_any_order(disc: str, order: str) -> None:
    """C17: a coloured disc each action once; C18: the white one just placed, twice."""
    state = table()
    do(state, "place_disc", 0, street="0-3", disc=disc)
    uses(state, 0, order)
    times = len(order) // 2
    assert state.players[0].stock == [times, times, 0]
    assert GAME.actors(state) == (1,)


def test_an_action_is_used_once() -> None:
    """C17: not twice by a coloured disc, and never one that the street does not join."""
    state = table()
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    assert refused(state, "perform", 0, action="marble") == "C19 action_not_activated"
    do(state, "perform", 0, action="wood")
    for kind in ("perform", "skip", "compensate"):
        assert refused(state, kind, 0, action="wood") == "C19 action_not_activated"


def test_others_wait_while_an_activation_lasts() -> None:
    """C17: each disc is its owner's; nobody acts in another's activation."""
    state = table()
    state.streets[BRICK_WOOD] = [1]
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    assert refused(state, "perform", 1, action="wood") == "C19 not_your_turn"
    uses(state, 0, "AB")
    assert refused(state, "perform", 0, action="wood") == "C19 not_your_turn"
    uses(state, 1, "AB")


# ---- using an action -------------------------------------------------------------------------------------------------


def test_an_impossible_action_draws_a_card() -> None:
    """C19: compensation uses the activation and draws one card."""
    state = table()
    stack_deck(state, SHIP, SHIP)
    activate(state, 1, MARBLE_WEAVE)
    give(state, 1, marble=4)
    (event, *_) = do(state, "compensate", 1, action="marble")
    assert (event.drew, event.card) == (True, SHIP)
    assert state.players[1].hand[SHIP] == 1
    assert state.deck[SHIP] == 1
    assert [move["action"] for move in legal(state, 1, "skip")] == ["weave"]


def test_a_possible_action_draws_nothing() -> None:
    """C19: it may be carried out or skipped, and skipping draws no card."""
    state = table()
    activate(state, 1, MARBLE_WEAVE)
    assert refused(state, "compensate", 1, action="marble") == "C19 action_possible"
    assert tags(do(state, "skip", 1, action="marble")) == ["action_skipped"]
    assert sum(state.players[1].hand) == 0


def test_an_impossible_action_may_be_skipped() -> None:
    """C19: the card is an offer."""
    state = table()
    activate(state, 1, SHIP_BUILD)
    do(state, "skip", 1, action="ship")
    do(state, "skip", 1, action="build")
    assert sum(state.players[1].hand) == 0
    assert GAME.actors(state) == (0,)


def test_a_partial_action_draws_nothing() -> None:
    """C19: two ships and two cloth, but only one cloth is sent: no card."""
    state = table()
    state.players[1].ships = 2
    give(state, 1, cloth=2)
    activate(state, 1, SHIP_BUILD)
    assert tags(do(state, "perform", 1, action="ship", cities=["lisbon"])) == ["action_performed"]
    assert sum(state.players[1].hand) == 0


def test_an_impossible_action_cannot_be_performed() -> None:
    """C19: the refusal names the action's own rule (C27)."""
    state = table()
    activate(state, 1, SHIP_BUILD)
    assert refused(state, "perform", 1, action="ship", cities=["lisbon"]) == "C27 action_impossible"


# ---- cards -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seat", [pytest.param(0, id="C20-own-turn"), pytest.param(1, id="C20-another-turn")]
)
def test_cards_may_be_played_at_any_point_of_an_own_activation(seat: int) -> None:
    """C20: before, between and after the actions, any number."""
    state = table()
    deal(state, seat, WOOD, WOOD, BRICK, WEAVE)
    activate(state, seat, BRICK_WOOD)
    do(state, "play_card", seat, action="wood")
    do(state, "perform", seat, action="brick")
    do(state, "play_card", seat, action="wood")
    do(state, "perform", seat, action="wood")
    do(state, "play_card", seat, action="brick")
    assert state.players[seat].stock == [3, 2, 0]
    assert state.discards == [2, 1, 0, 0, 0, 0, 0, 0, 0]


def test_a_card_just_drawn_may_be_played() -> None:
    """C20: a compensation's card counts at once."""
    state = table()
    stack_deck(state, WEAVE, WEAVE)
    activate(state, 1, SHIP_BUILD)
    do(state, "compensate", 1, action="build")
    do(state, "play_card", 1, action="weave")
    assert state.players[1].cloth == [1]


@pytest.mark.parametrize(
    ("card", "why"),
    [
        pytest.param("ship", "C27 action_impossible", id="C20-must-be-possible"),
        pytest.param("brick", "C20 card_not_held", id="C20-must-be-held"),
    ],
)
def test_a_card_that_cannot_be_carried_out_stays(card: str, why: str) -> None:
    """C20: no card is played for nothing."""
    state = table()
    deal(state, 1, SHIP)
    activate(state, 1, BRICK_WOOD)
    assert (
        refused(state, "play_card", 1, action=card, cities=["lisbon"] if card == "ship" else None)
        == why
    )
    assert legal(state, 1, "play_card") == []


def test_cards_need_an_own_activation() -> None:
    """C20: not before a disc is placed, not in another's activation."""
    state = table()
    deal(state, 0, WOOD)
    deal(state, 1, WOOD)
    assert refused(state, "play_card", 0, action="wood") == "C14 wrong_phase"
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    assert refused(state, "play_card", 1, action="wood") == "C19 not_your_turn"


# ---- the end of an activation ----------------------------------------------------------------------------------------


def test_an_activation_ends_by_itself_with_an_empty_hand() -> None:
    """C21: there is nothing left to decide, and everybody can see it."""
    state = table()
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    do(state, "perform", 0, action="brick")
    assert tags(do(state, "perform", 0, action="wood")) == ["action_performed", "activation_ended"]


def test_an_activation_with_cards_waits_for_its_owner() -> None:
    """C21: he ends it himself, even if no card can be played (hands are secret), or by playing his last card."""
    state = table()
    deal(state, 0, SHIP)
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    assert refused(state, "end_activation", 0) == "C21 actions_left"
    uses(state, 0, "AB")
    assert GAME.actors(state) == (0,)
    assert GAME.legal_moves(state, 0)[0].tag == "end_activation"
    do(state, "end_activation", 0)
    assert GAME.actors(state) == (1,)


def test_playing_the_last_card_ends_a_used_up_activation() -> None:
    """C21: as soon as actions and hand are both used up."""
    state = table()
    deal(state, 0, WOOD)
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    uses(state, 0, "AB")
    assert tags(do(state, "play_card", 0, action="wood")) == ["card_played", "activation_ended"]


# ---- the deck --------------------------------------------------------------------------------------------------------


def impossible(state: State) -> list[Any]:
    """Let seat 1 draw for a ship that it does not have."""
    activate(state, 1, SHIP_BUILD, times=2)
    return do(state, "compensate", 1, action="ship")


def test_the_discards_become_the_deck_at_once() -> None:
    """C22: when the last card has been drawn, not later."""
    state = table()
    stack_deck(state, WOOD)
    state.discards[BRICK] = 2
    assert tags(impossible(state)) == ["compensated", "deck_renewed"]
    assert (state.deck[BRICK], sum(state.deck), sum(state.discards)) == (2, 2, 0)


def test_without_any_card_nothing_is_drawn() -> None:
    """C22, C19: the activation is used up all the same."""
    state = table()
    stack_deck(state)
    (event,) = impossible(state)
    assert (event.drew, event.card) == (False, None)
    assert sum(state.players[1].hand) == 0
    assert state.agenda[-1] == Activation(1, SHIP_BUILD, [1, 2], duty=False)


def test_cards_discarded_later_become_the_deck_when_next_one_is_drawn() -> None:
    """C22: an empty deck takes the discards up before the draw."""
    state = table()
    stack_deck(state)
    state.discards[WEAVE] = 2
    assert tags(impossible(state)) == ["deck_renewed", "compensated"]
    assert (state.players[1].hand[WEAVE], state.deck[WEAVE]) == (1, 1)


def test_played_cards_are_discarded_face_up() -> None:
    """C22: everybody sees the discards."""
    state = table()
    deal(state, 1, WOOD)
    activate(state, 1, BRICK_WOOD)
    do(state, "play_card", 1, action="wood")
    assert GAME.view(state, None)["discards"] == {"wood": 1}


def test_every_card_of_the_deck_can_be_drawn() -> None:
    """C22: a draw is random among all that is left."""
    drawn = set()
    for seed in range(60):
        state = table()
        activate(state, 1, SHIP_BUILD)
        do(state, "compensate", 1, seed=seed, action="ship")
        drawn.add(state.players[1].hand.index(1))
    assert drawn == set(Action)


# ---- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "says"),
    [
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
    ],
)
def test_a_refusal_says_what_would_be_legal(move: dict[str, Any], says: str) -> None:
    """C19-C23, C38: for people, in a sentence."""
    state = table()
    deal(state, 0, SHIP)
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    with pytest.raises(RuleBroken, match=says):
        do(state, **move)
