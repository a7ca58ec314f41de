"""The search hooks of every game that has them."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from domain.calimala.bot.greedy import advise as advise_in_calimala
from domain.calimala.bot.weights import TUNED as TUNED_FOR_CALIMALA
from domain.chance import Chance, FastChance
from domain.firenze.bot.greedy import advise as advise_in_firenze
from domain.firenze.bot.weights import TUNED as TUNED_FOR_FIRENZE
from domain.game import Draft, Game, Message, Setup, decide
from domain.games import GAMES
from domain.search_hooks import SearchHooks
from tests.domain.greedy_play import positions

EVERY_NTH_MOVE = 9  # of a match is looked at
LEAST_LOOKED_AT = 4  # moves of a match, also of a short one
FORESEEING = [
    pytest.param(game, seats, id=f"{key}-{seats}-seats")
    for key, game in GAMES.items()
    if game.search_hooks is not None
    for seats in game.seats
]


# What a game's search would play without a thought, where that is not the greedy bot's move.
FAVOURITES: dict[str, Callable[[Any, int, Chance], Message]] = {
    "calimala": partial(advise_in_calimala, weights=TUNED_FOR_CALIMALA),
    "firenze": partial(advise_in_firenze, weights=TUNED_FOR_FIRENZE),
}


def hooks_of(game: Game[Any]) -> SearchHooks[Any]:
    """Return the search hooks of one of the games that have them."""
    assert game.search_hooks is not None
    return game.search_hooks


def some_positions(game: Game[Any], seats: int) -> Iterator[tuple[Any, int]]:
    """Yield some positions of a match of greedy bots, each with the seat to act."""
    every = [(state.copy(), seat) for state, seat in positions(game, seats, seed=1)]
    step = max(1, min(EVERY_NTH_MOVE, len(every) // LEAST_LOOKED_AT))
    yield from every[step - 1 :: step]


@pytest.mark.parametrize(("game", "seats"), FORESEEING)
def test_candidates_are_legal_and_the_favourite_comes_first(game: Game[Any], seats: int) -> None:
    """The rules take each of them, none stands twice, and the state is left alone."""
    hooks = hooks_of(game)
    favourite = FAVOURITES.get(game.key, game.advise)
    for state, seat in some_positions(game, seats):
        before = state.copy()
        candidates = hooks.candidates(state, seat, FastChance(1))

        assert state == before
        assert candidates[0] == favourite(state.copy(), seat, FastChance(1))
        assert len(set(candidates)) == len(candidates)
        for move in candidates:
            assert decide(game, state, move, FastChance(1))


@pytest.mark.parametrize(("game", "seats"), FORESEEING)
def test_the_rollout_policy_comes_to_the_end(game: Game[Any], seats: int) -> None:
    """Every move of the rollout policy is accepted, also the house's, until the match is over."""
    hooks = hooks_of(game)
    chance = FastChance(3)
    state = game.initial(Setup(seats, game.read_options({})))
    draft = Draft(state, game.evolve, chance)
    game.play(draft, game.opening)

    choose = hooks.rollout_policy(state)
    while actors := game.actors(state):
        if hooks.turn_begins(state):
            choose = hooks.rollout_policy(state)
        game.play(draft, choose(state, actors[0], chance))

    assert game.outcome(state) is not None


@pytest.mark.parametrize(("game", "seats"), FORESEEING)
def test_every_turn_begins_once(game: Game[Any], seats: int) -> None:
    """No move leads from the beginning of a turn to the beginning of the same one."""
    hooks = hooks_of(game)
    for state, seat in some_positions(game, seats):
        if not hooks.turn_begins(state):
            continue
        for move in hooks.candidates(state, seat, FastChance(1)):
            draft = Draft(state.copy(), game.evolve, FastChance(1))
            game.play(draft, move)
            after = game.actors(draft.state)
            assert after != (seat,) or not hooks.turn_begins(draft.state)


@pytest.mark.parametrize(("game", "seats"), FORESEEING)
def test_expected_points_are_points_of_every_seat(game: Game[Any], seats: int) -> None:
    """There is a number for each seat, near what a match may bring, and some doubt about it."""
    hooks = hooks_of(game)
    for state, _seat in some_positions(game, seats):
        expected_points = hooks.expected_points(state)

        assert len(expected_points) == seats
        assert all(-50 < points < 200 for points in expected_points)
        assert hooks.doubt(state) > 0
        assert hooks.turns_ahead(state) >= seats


@pytest.mark.parametrize(("game", "seats"), FORESEEING)
def test_doubt_becomes_less_towards_the_end(game: Game[Any], seats: int) -> None:
    """The same lead is worth more in the last positions of a match than in the first."""
    hooks = hooks_of(game)
    doubts = [hooks.doubt(state) for state, _seat in some_positions(game, seats)]

    assert doubts == sorted(doubts, reverse=True)
    assert doubts[-1] < doubts[0]
