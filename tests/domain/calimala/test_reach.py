"""The reach of a hand is exact: what duty.py works out agrees with trying everything out (C15)."""

from functools import cache
from random import Random

import pytest

from domain.calimala import GAME
from domain.calimala.actions import possible
from domain.calimala.components import ACTIONS, CAPACITY, Action
from domain.calimala.duty import reachable
from domain.calimala.state import State
from domain.chance import Draws
from domain.game import Draft
from tests.domain.calimala.table import BUILD_TRANSPORT, activate, deal, table

SAMPLES = 1500
RESERVES = (0, 0, 1, 1, 2, 3, 30)
STOCKS = (0, 0, 1, 2, CAPACITY, CAPACITY)
WORKSHOPS = (0, 0, 1, CAPACITY)
SHIPS = (0, 0, 1, 3)
CARD_WEIGHTS = (4, 4, 1, 5, 1, 2, 1, 1, 1)  # by Action
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


def cramped(random: Random) -> State:
    """Return a table on which much is full, empty or used up, and seat 0 holds up to five cards."""
    state = table()
    player = state.players[0]
    player.reserve = random.choice(RESERVES)
    player.stock = random.choices(STOCKS, k=3)
    player.cloth = some_workshops(random)
    player.ships = random.choice(SHIPS)
    player.houses = random.choices((0, 1), k=3)

    state.city_room = random.choices((0, 0, 1), k=6)
    state.row_room = random.choices((0, 0, 0, 1), k=9)
    state.artwork_room = [0, 0, 0, random.randint(0, 1)]

    hand_size = random.randint(1, 5)
    cards = random.choices(ACTIONS, weights=CARD_WEIGHTS, k=hand_size)
    deal(state, 0, *cards)
    activate(state, 0, BUILD_TRANSPORT)
    return state


def some_workshops(random: Random) -> tuple[int, ...]:
    """Return one to three workshops; in half of the cases all are full."""
    full = random.random() < 0.5
    workshops = random.randint(1, 3)
    if full:
        return (CAPACITY,) * workshops
    return tuple(random.choices(WORKSHOPS, k=workshops))


@cache
def samples() -> list[tuple[State, set[Action]]]:
    """Return cramped tables, each with what trying every sequence of plays shows."""
    random = Random(15)
    states = [cramped(random) for _ in range(SAMPLES)]
    return [(state, possible_by_trying(state)) for state in states]


EVERY_ACTION = [pytest.param(action, id=f"C15-{action.wire}") for action in ACTIONS]


@pytest.mark.parametrize("action", EVERY_ACTION)
def test_the_reach_of_a_hand_is_exact(action: Action) -> None:
    """C15: the closed form agrees with trying every sequence of plays."""
    for state, found in samples():
        player = state.players[0]
        assert reachable(state, player, action) == (action in found), essence(state)


@pytest.mark.parametrize("action", EVERY_ACTION)
def test_the_samples_are_telling(action: Action) -> None:
    """C15: among them are tables where cards help, and tables where they do not."""
    helped = 0
    hopeless = 0
    for state, found in samples():
        helped += action in found - possible_now(state)
        hopeless += action not in found

    assert helped > 5
    assert hopeless > 50
