"""A turn: placing, activating, cards, the deck, and the duty of a disc (C14-C22)."""

from functools import cache
from random import Random
from typing import Any

import pytest

from domain.calimala import GAME
from domain.calimala.actions import possible
from domain.calimala.agenda import Activation
from domain.calimala.components import ACTIONS, Action
from domain.calimala.duty import reachable
from domain.calimala.state import State
from domain.chance import Draws
from domain.errors import RuleBroken
from domain.game import Draft
from tests.domain.calimala.table import (
    ARTWORK_SHIP,
    BRICK_ARTWORK,
    BRICK_WOOD,
    BUILD_TRANSPORT,
    MARBLE_WEAVE,
    SHIP_BUILD,
    WHITE,
    actions_of,
    activate,
    compensate,
    cramped,
    deal,
    do,
    give,
    legal,
    perform,
    place,
    placing_refused,
    play_card,
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
    """C14: nobody places out of turn or during an activation."""
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
    """C16: the new disc and the two below it are activated by position, each on its own."""
    state = table()
    state.streets[BRICK_WOOD] = tuple(stack)
    (placed, *_) = place(state, 0, BRICK_WOOD, disc)
    assert placed.activates == tuple(owners)


@pytest.mark.parametrize("action", ["wood", "marble"])
@pytest.mark.parametrize("kind", ["perform", "skip", "compensate"])
def test_an_action_is_one_of_the_streets_and_used_once(kind: str, action: str) -> None:
    """C17: brick-wood does not join marble, and wood is used up by any use."""
    state = table()
    place(state, 0, BRICK_WOOD)
    perform(state, 0, "wood")
    assert refused(state, kind, 0, action=action) == "C19 action_not_activated"


def test_others_wait_while_an_activation_lasts() -> None:
    """C17: each disc is its owner's. Nobody acts in another's activation."""
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
    """C19: a possible action may be carried out or skipped, and skipping draws no card."""
    state = table()
    activate(state, 1, MARBLE_WEAVE)
    assert refused(state, "compensate", 1, action="marble") == "C19 action_possible"

    assert tags(skip(state, 1, "marble")) == ["action_skipped"]
    assert sum(state.players[1].hand) == 0


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
    """C20: no card is played before a disc is placed, or in another's activation."""
    state = table()
    deal(state, 0, Action.WOOD)
    deal(state, 1, Action.WOOD)
    assert refused(state, "play_card", 0, action="wood") == "C14 wrong_phase"

    place(state, 0, BRICK_WOOD)
    assert refused(state, "play_card", 1, action="wood") == "C19 not_your_turn"


# ---- the end of an activation --------------------------------------------------------------------


def test_an_activation_with_cards_waits_for_its_owner() -> None:
    """C21: a seat with cards ends its activation, even if none can be played (hands are secret)."""
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
    """C22, C19: a compensation without a card uses the action up all the same."""
    state = table()
    stack_deck(state)

    (compensated,) = draw_for_a_ship(state)

    assert compensated.drew is False
    assert compensated.card is None
    assert sum(state.players[1].hand) == 0
    assert state.agenda[-1] == Activation(1, SHIP_BUILD, [1, 2], duty=False)


def test_later_discards_become_the_deck_at_the_next_draw() -> None:
    """C22: an empty deck takes the discards up before the draw."""
    state = table()
    stack_deck(state)
    state.discards[Action.WEAVE] = 2

    assert tags(draw_for_a_ship(state)) == ["deck_renewed", "compensated"]
    assert state.players[1].hand[Action.WEAVE] == 1
    assert state.deck[Action.WEAVE] == 1


def test_the_discards_become_the_deck_with_its_last_card() -> None:
    """C22: the discards become the deck at once, and not only when the next card is drawn."""
    state = table()
    stack_deck(state, Action.MARBLE)
    state.discards[Action.WEAVE] = 2

    assert tags(draw_for_a_ship(state)) == ["compensated", "deck_renewed"]
    assert state.deck[Action.WEAVE] == 2
    assert sum(state.discards) == 0


# ---- refusals, in words --------------------------------------------------------------------------

REFUSED_MOVES = [
    pytest.param(
        {"kind": "place_disc", "seat": 1, "street": "0-3", "disc": "white"},
        "Seat 0 is to",
        id="C19-who",
    ),
    pytest.param(
        {"kind": "perform", "seat": 0, "action": "ship"},
        "left to use: brick, wood",
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
def test_a_refusal_lists_legal_choices(move: dict[str, Any], says: str) -> None:
    """A refusal tells the choices of seat 0, after its disc on brick-wood and with a ship card."""
    state = table()
    deal(state, 0, Action.SHIP)
    place(state, 0, BRICK_WOOD)
    with pytest.raises(RuleBroken, match=says):
        do(state, **move)


WOOD, BRICK, MARBLE, BUILD = ACTIONS[:4]
WEAVE, SHIP = Action.WEAVE, Action.SHIP


def legal_streets(state: State) -> set[str]:
    """Return the names of the streets that are legal for seat 0."""
    return {move["street"] for move in legal(state, 0, "place_disc")}


def skip_refused(state: State, action: str) -> str:
    """Return the rule and code of the refusal to let seat 0 skip the action."""
    return refused(state, "skip", 0, action=action)


# ---- where a disc may be placed ------------------------------------------------------------------


@pytest.mark.parametrize("disc", ["coloured", "white"])
def test_a_street_without_a_possible_action_is_refused(disc: str) -> None:
    """C15: nothing but wood, brick, marble and weave can be carried out at the start."""
    state = table()
    assert legal_streets(state) == {"0-1", "3-4", "6-7", "7-8", "0-3", "3-6", "4-7"}
    assert placing_refused(state, 0, SHIP_BUILD, disc) == "C15 only_cards"


HANDS = [
    pytest.param([MARBLE], {"1-2", "1-4", "4-5"}, id="C15-marble-to-give"),
    pytest.param([WOOD, WOOD], {"2-5", "4-5", "5-8", "1-4"}, id="C15-two-wood-for-a-ship"),
    pytest.param([WOOD], {"1-4", "4-5"}, id="C15-one-wood-to-contribute"),
    pytest.param(
        [WOOD, WOOD, BUILD, WEAVE], {"1-2", "2-5", "4-5", "5-8", "1-4"}, id="C15-a-long-chain"
    ),
    pytest.param([SHIP, BUILD], set(), id="C15-cards-that-do-not-help"),
]


@pytest.mark.parametrize(("cards", "opened"), HANDS)
def test_cards_in_hand_open_streets(cards: list[Action], opened: set[str]) -> None:
    """C15: an action that some sequence of plays makes possible will do."""
    state = table()
    before = legal_streets(state)

    deal(state, 0, *cards)
    assert legal_streets(state) - before == opened


def test_every_street_is_legal_when_none_is() -> None:
    """C15: a player without a cube in reserve or anything to use may place anywhere."""
    state = table()
    state.players[0].reserve = 0
    assert len(legal_streets(state)) == 12


# ---- doing one's duty ----------------------------------------------------------------------------


def test_the_last_chance_may_not_be_skipped() -> None:
    """C15: one of the two actions must be carried out. Then the other may be skipped."""
    state = table()
    place(state, 0, BRICK_ARTWORK)

    assert skip_refused(state, "brick") == "C15 duty_unmet"

    compensate(state, 0, "artwork")
    assert skip_refused(state, "brick") == "C15 duty_unmet"

    perform(state, 0, "brick")


def test_either_action_meets_the_duty() -> None:
    """C15: while both can be carried out the first may be skipped, the second no more."""
    state = table()
    place(state, 0, BRICK_WOOD)
    skip(state, 0, "brick")
    assert skip_refused(state, "wood") == "C15 duty_unmet"


def test_a_white_disc_has_two_chances_at_each() -> None:
    """C15, C18: only the very last use of a possible action is protected."""
    state = table()
    place(state, 0, BRICK_ARTWORK, "white")
    skip(state, 0, "brick")
    compensate(state, 0, "artwork")
    compensate(state, 0, "artwork")

    assert skip_refused(state, "brick") == "C15 duty_unmet"


def test_a_compensation_may_not_use_up_the_only_action_in_reach() -> None:
    """C15: with two wood cards a ship can be built. Then drawing a card instead is refused."""
    state = table()
    deal(state, 0, WOOD, WOOD)
    place(state, 0, BUILD_TRANSPORT)

    assert refused(state, "compensate", 0, action="build") == "C15 duty_unmet"

    compensate(state, 0, "transport")
    play_card(state, 0, "wood")
    play_card(state, 0, "wood")
    perform(state, 0, "build", build="ship")


def test_the_duty_is_judged_afresh_with_cards_drawn_meanwhile() -> None:
    """C15: a marble card drawn for the ship brings the artwork into reach.

    So the artwork may no longer be given up.
    """
    state = table()
    activate(state, 0, ARTWORK_SHIP, duty=True)
    stack_deck(state, MARBLE)

    assert set(actions_of(legal(state, 0, "skip"))) == {"artwork", "ship"}

    compensate(state, 0, "ship")
    assert skip_refused(state, "artwork") == "C15 duty_unmet"
    assert refused(state, "compensate", 0, action="artwork") == "C15 duty_unmet"


def test_a_card_of_the_same_action_does_not_meet_the_duty() -> None:
    """C15: only an activated action of the street meets the duty."""
    state = table()
    deal(state, 0, BRICK)
    place(state, 0, BRICK_ARTWORK)
    play_card(state, 0, "brick")
    assert skip_refused(state, "brick") == "C15 duty_unmet"


# ---- the reach of a hand, held against trying every sequence of plays ----------------------------

SAMPLES = 1500
WORKSHOPS_END = 9  # separates the workshops, one to three, from the numbers after them


def after_each_play(state: State) -> list[State]:
    """Return the states after each card play of seat 0."""
    positions = []
    for move in GAME.legal_moves(state, 0):
        if move.tag == "play_card":
            draft = Draft(state.copy(), GAME.evolve, Draws(b""))
            GAME.play(draft, move)
            positions.append(draft.state)
    return positions


def essence(state: State) -> tuple[int, ...]:
    """Return all facts that matter for seat 0's possibilities."""
    player = state.players[0]
    return (
        player.reserve,
        *player.stock,
        *player.cloth,
        WORKSHOPS_END,
        player.ships,
        *player.houses,
        *player.hand,
        *state.city_room,
        *state.row_room,
        *state.artwork_room,
    )


def possible_now(state: State) -> set[Action]:
    """Return the actions that seat 0 can carry out."""
    player = state.players[0]
    return {action for action in ACTIONS if possible(state, player, action)}


def possible_by_trying(state: State) -> set[Action]:
    """Return every action that is possible now or after some sequence of card plays."""
    essences = {essence(state)}
    waiting = [state]
    actions = set[Action]()
    while waiting:
        position = waiting.pop()
        actions |= possible_now(position)
        for after in after_each_play(position):
            if essence(after) not in essences:
                essences.add(essence(after))
                waiting.append(after)
    return actions


@cache
def samples() -> list[tuple[State, set[Action]]]:
    """Return cramped tables, each with the actions found by trying every sequence of plays."""
    random = Random(15)
    states = [cramped(random) for _ in range(SAMPLES)]
    for state in states:
        activate(state, 0, BUILD_TRANSPORT)
    return [(state, possible_by_trying(state)) for state in states]


EVERY_ACTION = [pytest.param(action, id=f"C15-{action.wire}") for action in ACTIONS]


@pytest.mark.parametrize("action", EVERY_ACTION)
def test_the_reach_of_a_hand_is_exact(action: Action) -> None:
    """C15: the closed form agrees with trying every sequence of plays.

    Cards help at some of the sampled tables, and do not at others.
    """
    helped = 0
    hopeless = 0
    for state, actions in samples():
        player = state.players[0]
        assert reachable(state, player, action) == (action in actions), essence(state)
        helped += action in actions - possible_now(state)
        hopeless += action not in actions

    assert helped > 5
    assert hopeless > 50
