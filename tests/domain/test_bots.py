"""The bots and search hooks of every game: their moves are legal and sensible."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pytest

from domain.calimala.bot.greedy import advise as advise_in_calimala
from domain.calimala.bot.weights import TUNED as TUNED_FOR_CALIMALA
from domain.chance import Chance, FastChance
from domain.firenze.bot.greedy import advise as advise_in_firenze
from domain.firenze.bot.weights import TUNED as TUNED_FOR_FIRENZE
from domain.game import HOUSE, Draft, Game, Message, Outcome, SearchHooks, Setup, decide
from domain.games import GAMES
from tests.domain.laws import positions

Policy = Callable[[Any, int, Chance], Message]

# ---- whole matches -------------------------------------------------------------------------------


def played(game: Game[Any], policies: list[Policy], seed: int) -> tuple[Any, Outcome]:
    """Play a match, a policy for each seat. Return its last state and the outcome."""
    chance = FastChance(seed)
    state = game.initial(Setup(len(policies), game.read_options({})))
    draft = Draft(state, game.evolve, chance)

    while actors := game.actors(state):
        seat = actors[0]
        if seat == HOUSE:
            move = game.advise(state.copy(), HOUSE, chance)
        else:
            move = policies[seat](game.imagine(state, seat, chance), seat, chance)
        game.play(draft, move)

    outcome = game.outcome(state)
    assert outcome is not None
    return state, outcome


def tables(*games: Game[Any]) -> list[Any]:
    """Return a parameter for each number of seats of these games."""
    return [
        pytest.param(game, seats, id=f"{game.key}-{seats}-seats")
        for game in games
        for seats in game.seats
    ]


# The search's moves without a thought, if they are not the greedy bot's move.
FAVOURITES: dict[str, Policy] = {
    "calimala": partial(advise_in_calimala, weights=TUNED_FOR_CALIMALA),
    "firenze": partial(advise_in_firenze, weights=TUNED_FOR_FIRENZE),
}


MATCHES = {"calimala": (3, 2), "firenze": (12, 9)}  # matches played, and the least number won


@pytest.mark.whole
@pytest.mark.parametrize(("game", "seats"), tables(*[GAMES[key] for key in MATCHES]))
def test_the_greedy_player_beats_random_ones(game: Game[Any], seats: int) -> None:
    """One greedy seat among random ones wins most matches."""
    matches, least_won = MATCHES[game.key]
    wins = 0
    for seed in range(matches):
        policies: list[Policy] = [game.random_move] * seats
        policies[seed % seats] = game.advise
        _, outcome = played(game, policies, seed)
        wins += outcome.ranks[seed % seats] == 1

    assert wins >= least_won


# ---- search hooks --------------------------------------------------------------------------------

EVERY_NTH_MOVE = 9  # of a match is looked at
LEAST_LOOKED_AT = 4  # moves of a match, also of a short one

with_search_hooks = pytest.mark.parametrize(
    ("game", "seats"),
    tables(*[game for game in GAMES.values() if game.search_hooks is not None]),
)


def hooks_of(game: Game[Any]) -> SearchHooks[Any]:
    """Return the search hooks of one of the games that have them."""
    assert game.search_hooks is not None
    return game.search_hooks


@cache
def some_positions(key: str, seats: int) -> list[tuple[Any, int]]:
    """Return some positions of a match of greedy bots, each with the seat to act."""
    every = [(state.copy(), seat) for state, seat in positions(GAMES[key], seats, seed=1)]
    step = max(1, min(EVERY_NTH_MOVE, len(every) // LEAST_LOOKED_AT))
    return every[step - 1 :: step]


@pytest.mark.whole
@with_search_hooks
def test_candidates_are_legal_and_the_favourite_comes_first(game: Game[Any], seats: int) -> None:
    """The rules take each candidate, none stands twice, and the state is left alone.

    From the beginning of a turn, no candidate leads to the beginning of a turn of the same seat.
    """
    hooks = hooks_of(game)
    favourite = FAVOURITES.get(game.key, game.advise)

    for state, seat in some_positions(game.key, seats):
        before = state.copy()
        candidates = hooks.candidates(state, seat, FastChance(1))

        assert state == before
        assert candidates[0] == favourite(state.copy(), seat, FastChance(1))
        assert len(set(candidates)) == len(candidates)
        for move in candidates:
            after = state.copy()
            for event in decide(game, state, move, FastChance(1)):
                game.evolve(after, event)
            begins_again = game.actors(after) == (seat,) and hooks.turn_begins(after)
            assert not (hooks.turn_begins(state) and begins_again)


@with_search_hooks
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


@pytest.mark.whole
@with_search_hooks
def test_expected_points_are_points_of_every_seat(game: Game[Any], seats: int) -> None:
    """Expected points are near possible results of a match, and the doubt about them shrinks."""
    hooks = hooks_of(game)
    doubts = []
    for state, _seat in some_positions(game.key, seats):
        expected_points = hooks.expected_points(state)
        assert len(expected_points) == seats
        assert all(-50 < points < 200 for points in expected_points)
        assert hooks.turns_ahead(state) >= seats
        doubts.append(hooks.doubt(state))

    assert doubts == sorted(doubts, reverse=True)
    assert doubts[0] > doubts[-1] > 0
