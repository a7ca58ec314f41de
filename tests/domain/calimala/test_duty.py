"""The placed disc may not serve only to draw cards (C15)."""

from functools import cache
from random import Random
from typing import Any

import pytest

from domain.calimala import GAME
from domain.calimala.actions import possible
from domain.calimala.components import ACTIONS, CAPACITY, Action
from domain.calimala.duty import reachable
from domain.calimala.state import State
from domain.chance import Draws
from domain.game import Draft
from tests.domain.calimala.table import (
    ARTWORK_SHIP,
    BRICK_WOOD,
    BUILD_TRANSPORT,
    SHIP_BUILD,
    activate,
    deal,
    do,
    give,
    legal,
    refused,
    stack_deck,
    table,
)

WOOD, BRICK, MARBLE, BUILD, WEAVE, SHIP = ACTIONS[:4] + ACTIONS[5:7]


def streets(state: State) -> set[str]:
    return {move["street"] for move in legal(state, 0, "place_disc")}


# ---- where a disc may be placed --------------------------------------------------------------------------------------


def test_a_street_without_a_possible_action_is_refused() -> None:
    """C15: nothing but wood, brick, marble and weave can be carried out at the start."""
    state = table()
    assert streets(state) == {"0-1", "3-4", "6-7", "7-8", "0-3", "3-6", "4-7"}
    for disc in ("coloured", "white"):
        assert refused(state, "place_disc", 0, street="2-5", disc=disc) == "C15 only_cards"


@pytest.mark.parametrize(
    ("cards", "opened"),
    [
        pytest.param([MARBLE], {"1-2", "1-4", "4-5"}, id="C15-marble-to-give"),
        pytest.param([WOOD, WOOD], {"2-5", "4-5", "5-8", "1-4"}, id="C15-two-wood-for-a-ship"),
        pytest.param([WOOD], {"1-4", "4-5"}, id="C15-one-wood-to-contribute"),
        pytest.param(
            [WOOD, WOOD, BUILD, WEAVE], {"1-2", "2-5", "4-5", "5-8", "1-4"}, id="C15-a-long-chain"
        ),
        pytest.param([SHIP, BUILD], set(), id="C15-cards-that-do-not-help"),
    ],
)
def test_cards_in_hand_open_streets(cards: list[Action], opened: set[str]) -> None:
    """C15: an action that some sequence of plays makes possible will do."""
    state = table()
    before = streets(state)
    deal(state, 0, *cards)
    assert streets(state) - before == opened


def test_cards_not_yet_drawn_do_not_count() -> None:
    """C15: though the deck holds only marble, an artwork is out of reach."""
    state = table()
    stack_deck(state, MARBLE)
    assert refused(state, "place_disc", 0, street="1-2", disc="coloured") == "C15 only_cards"


def test_every_street_is_legal_when_none_is() -> None:
    """C15: a player without a cube in reserve or anything to use may place anywhere."""
    state = table()
    state.players[0].reserve = 0
    assert len(streets(state)) == 12


# ---- doing one's duty ------------------------------------------------------------------------------------------------


def test_the_last_chance_may_not_be_skipped() -> None:
    """C15: one of the two actions must be carried out; then the other may be skipped."""
    state = table()
    do(state, "place_disc", 0, street="0-1", disc="coloured")
    assert refused(state, "skip", 0, action="brick") == "C15 duty_unmet"
    do(state, "compensate", 0, action="artwork")
    assert refused(state, "skip", 0, action="brick") == "C15 duty_unmet"
    do(state, "perform", 0, action="brick")


def test_either_action_meets_the_duty() -> None:
    """C15: while both can be carried out the first may be skipped, the second no more."""
    state = table()
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    do(state, "skip", 0, action="brick")
    assert refused(state, "skip", 0, action="wood") == "C15 duty_unmet"


def test_the_duty_is_done_once() -> None:
    """C15: after one action was carried out the other, possible as it is, may be skipped."""
    state = table()
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    do(state, "perform", 0, action="wood")
    do(state, "skip", 0, action="brick")
    assert GAME.actors(state) == (1,)


def test_a_white_disc_has_two_chances_at_each() -> None:
    """C15, C18: only the very last use of a possible action is protected."""
    state = table()
    do(state, "place_disc", 0, street="0-1", disc="white")
    do(state, "skip", 0, action="brick")
    do(state, "compensate", 0, action="artwork")
    do(state, "compensate", 0, action="artwork")
    assert refused(state, "skip", 0, action="brick") == "C15 duty_unmet"


def test_a_compensation_may_not_use_up_the_only_action_in_reach() -> None:
    """C15: with two wood cards a ship can be built; then drawing a card instead is refused."""
    state = table()
    deal(state, 0, WOOD, WOOD)
    do(state, "place_disc", 0, street="5-8", disc="coloured")
    assert refused(state, "compensate", 0, action="build") == "C15 duty_unmet"
    do(state, "compensate", 0, action="transport")
    do(state, "play_card", 0, action="wood")
    do(state, "play_card", 0, action="wood")
    do(state, "perform", 0, action="build", build="ship")


def test_the_duty_is_judged_afresh_with_cards_drawn_meanwhile() -> None:
    """C15: a marble card drawn for the ship brings the artwork into reach, so it may no longer be skipped."""
    state = table()
    activate(state, 0, ARTWORK_SHIP, duty=True)
    stack_deck(state, MARBLE)
    assert {move["action"] for move in legal(state, 0, "skip")} == {"artwork", "ship"}
    do(state, "compensate", 0, action="ship")
    assert refused(state, "skip", 0, action="artwork") == "C15 duty_unmet"
    assert refused(state, "compensate", 0, action="artwork") == "C15 duty_unmet"


def test_nothing_is_refused_when_nothing_can_be_done() -> None:
    """C15: who could place anywhere because no street was legal draws his two cards."""
    state = table()
    state.players[0].reserve = 0
    do(state, "place_disc", 0, street="1-2", disc="coloured")
    do(state, "compensate", 0, action="ship")
    do(state, "compensate", 0, action="artwork")


def test_a_card_of_the_same_action_does_not_meet_the_duty() -> None:
    """C15: only the street's own activation counts."""
    state = table()
    deal(state, 0, BRICK)
    do(state, "place_disc", 0, street="0-1", disc="coloured")
    do(state, "play_card", 0, action="brick")
    assert refused(state, "skip", 0, action="brick") == "C15 duty_unmet"


def test_a_card_play_may_spoil_the_chance() -> None:
    """C15: weaving the last cubes away leaves nothing to take wood or brick from; then skipping is allowed."""
    state = table()
    deal(state, 0, WEAVE)
    state.players[0].reserve = 1
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    do(state, "play_card", 0, action="weave")
    do(state, "skip", 0, action="brick")
    do(state, "skip", 0, action="wood")


def test_discs_below_have_no_duty() -> None:
    """C15: their owners may skip everything."""
    state = table()
    activate(state, 1, BRICK_WOOD)
    do(state, "skip", 1, action="brick")
    do(state, "skip", 1, action="wood")


# ---- the reach of a hand, against trying everything out --------------------------------------------------------------


def plays(state: State) -> list[State]:
    """Return what follows from each card play of seat 0."""
    result = []
    for move in GAME.legal_moves(state, 0):
        if move.tag == "play_card":
            draft = Draft(state.copy(), GAME.evolve, Draws(b""))
            GAME.play(draft, move)
            result.append(draft.state)
    return result


def gist(state: State) -> tuple[Any, ...]:
    """Return all that matters for what seat 0 can do."""
    player = state.players[0]
    own = (
        player.reserve,
        *player.stock,
        *player.cloth,
        9,
        player.ships,
        *player.houses,
        *player.hand,
    )
    return (*own, *state.city_room, *state.row_room, *state.artwork_room)


def by_trying(state: State) -> set[Action]:
    """Return every action that is possible now or after some sequence of card plays."""
    seen, open_, result = {gist(state)}, [state], set[Action]()
    while open_:
        current = open_.pop()
        result.update(action for action in ACTIONS if possible(current, current.players[0], action))
        for after in plays(current):
            if gist(after) not in seen:
                seen.add(gist(after))
                open_.append(after)
    return result


def cramped(random: Random) -> State:
    """Return a table on which much is full, empty or used up, and seat 0 holds up to five cards."""
    state = table()
    player = state.players[0]
    player.reserve = random.choice((0, 0, 1, 1, 2, 3, 30))
    player.stock = [random.choice((0, 0, 1, 2, CAPACITY, CAPACITY)) for _ in range(3)]
    full = random.random() < 0.5
    player.cloth = [
        CAPACITY if full else random.choice((0, 0, 1, 4)) for _ in range(random.randint(1, 3))
    ]
    player.ships = random.choice((0, 0, 1, 3))
    player.houses = [random.randint(0, 1) for _ in range(3)]
    state.city_room = [random.choice((0, 0, 1)) for _ in range(6)]
    state.row_room = [random.choice((0, 0, 0, 1)) for _ in range(9)]
    state.artwork_room = [0, 0, 0, random.randint(0, 1)]
    deal(
        state,
        0,
        *random.choices(ACTIONS, weights=(4, 4, 1, 5, 1, 2, 1, 1, 1), k=random.randint(1, 5)),
    )
    activate(state, 0, BUILD_TRANSPORT)
    return state


@cache
def samples() -> list[tuple[State, set[Action]]]:
    """Return cramped tables, each with what trying every sequence of plays shows."""
    random = Random(15)
    states = [cramped(random) for _ in range(1500)]
    return [(state, by_trying(state)) for state in states]


@pytest.mark.parametrize(
    "action", [pytest.param(action, id=f"C15-{action.wire}") for action in ACTIONS]
)
def test_the_reach_of_a_hand_is_exact(action: Action) -> None:
    """C15: the closed form agrees with trying every sequence of plays, both where cards help and where they do not."""
    helped = hopeless = 0
    for state, found in samples():
        player = state.players[0]
        assert reachable(state, player, action) == (action in found), gist(state)
        helped += action in found and not possible(state, player, action)
        hopeless += action not in found
    assert helped > 5
    assert hopeless > 50


def test_a_street_is_as_good_as_its_better_action() -> None:
    """C15: building is in reach, shipping is not; the street of both is legal."""
    state = table()
    give(state, 0, wood=2)
    assert SHIP_BUILD.wire in streets(state)
    assert ARTWORK_SHIP.wire not in streets(state)
