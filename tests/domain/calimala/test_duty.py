"""The placed disc may not serve only to draw cards (C15)."""

from functools import cache
from random import Random

import pytest

from domain.calimala import GAME
from domain.calimala.actions import possible
from domain.calimala.components import ACTIONS, Action
from domain.calimala.duty import reachable
from domain.calimala.state import State
from domain.chance import Draws
from domain.game import Draft
from tests.domain.calimala.table import (
    ARTWORK_SHIP,
    BRICK_ARTWORK,
    BRICK_WOOD,
    BUILD_TRANSPORT,
    SHIP_BUILD,
    actions_of,
    activate,
    compensate,
    cramped,
    deal,
    legal,
    perform,
    place,
    placing_refused,
    play_card,
    refused,
    skip,
    stack_deck,
    table,
)

WOOD, BRICK, MARBLE, BUILD = ACTIONS[:4]
WEAVE, SHIP = Action.WEAVE, Action.SHIP


def legal_streets(state: State) -> set[str]:
    """Return the names of the streets on which seat 0 may place."""
    return {move["street"] for move in legal(state, 0, "place_disc")}


def skip_refused(state: State, action: str) -> str:
    """Return the rule and code with which seat 0 is refused to skip the action."""
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
    """C15: one of the two actions must be carried out; then the other may be skipped."""
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
    """C15: with two wood cards a ship can be built; then drawing a card instead is refused."""
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
    """C15: only the street's own activation counts."""
    state = table()
    deal(state, 0, BRICK)
    place(state, 0, BRICK_ARTWORK)
    play_card(state, 0, "brick")
    assert skip_refused(state, "brick") == "C15 duty_unmet"


# ---- the reach of a hand, held against trying every sequence of plays ----------------------------

SAMPLES = 1500
WORKSHOPS_END = 9  # stands between workshops, of which there may be one to three, and what follows


def after_each_play(state: State) -> list[State]:
    """Return what follows from each card play of seat 0."""
    positions = []
    for move in GAME.legal_moves(state, 0):
        if move.tag == "play_card":
            draft = Draft(state.copy(), GAME.evolve, Draws(b""))
            GAME.play(draft, move)
            positions.append(draft.state)
    return positions


def essence(state: State) -> tuple[int, ...]:
    """Return all that matters for what seat 0 can do."""
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
    seen = {essence(state)}
    waiting = [state]
    found = set[Action]()
    while waiting:
        position = waiting.pop()
        found |= possible_now(position)
        for after in after_each_play(position):
            if essence(after) not in seen:
                seen.add(essence(after))
                waiting.append(after)
    return found


@cache
def samples() -> list[tuple[State, set[Action]]]:
    """Return cramped tables, each with what trying every sequence of plays shows."""
    random = Random(15)
    states = [cramped(random) for _ in range(SAMPLES)]
    for state in states:
        activate(state, 0, BUILD_TRANSPORT)
    return [(state, possible_by_trying(state)) for state in states]


EVERY_ACTION = [pytest.param(action, id=f"C15-{action.wire}") for action in ACTIONS]


@pytest.mark.parametrize("action", EVERY_ACTION)
def test_the_reach_of_a_hand_is_exact(action: Action) -> None:
    """C15: the closed form agrees with trying every sequence of plays.

    Among the samples are tables where cards help, and tables where they do not.
    """
    helped = 0
    hopeless = 0
    for state, found in samples():
        player = state.players[0]
        assert reachable(state, player, action) == (action in found), essence(state)
        helped += action in found - possible_now(state)
        hopeless += action not in found

    assert helped > 5
    assert hopeless > 50
