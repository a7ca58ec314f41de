"""The search: it keeps to its budget, is the same again, and finds what is plainly better."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import Chance, FastChance
from domain.game import Draft, Game, Message, Setup
from domain.games import GAMES
from domain.search_hooks import SearchHooks
from tests.domain.greedy_play import positions
from tests.toy.game import TOY
from tests.toy.messages import Keep, Swap
from tests.toy.table import Table
from workers.bots import LEVELS, search
from workers.bots.players import MOST_SHOWN, Budget

FUTURES = 60
ITERATIONS = Budget(iterations=FUTURES)
MOVES_BEFORE = 40
SEED = 9  # of the thoughts; how many candidates there are may depend on it


def candidates_of_the_toy(state: Table, seat: int, _chance: Chance) -> list[Message]:
    """Return both moves, first the one that is wrong: a good card is swapped, a bad one kept."""
    keep, swap = TOY.legal_moves(state, seat)
    return [keep, swap] if state.cards[seat] == 0 else [swap, keep]


AT_RANDOM: SearchHooks[Table] = SearchHooks(
    candidates=candidates_of_the_toy,
    rollout_policy=lambda _state: TOY.random_move,
    careful=TOY.random_move,
    turn_begins=lambda _state: False,  # so that every future is played to the end
    turns_ahead=lambda _state: 1,
    expected_points=lambda state: state.points,
    doubt=lambda _state: 1.0,
)


# A short game, in which there is never much to choose from.
SHORT: Game[Any] = replace(TOY, search_hooks=AT_RANDOM)

SEARCHED = [game for game in (*GAMES.values(), SHORT) if game.search_hooks is not None]
every_searched_game = pytest.mark.parametrize("game", SEARCHED, ids=lambda game: game.key)


def in_the_middle(game: Game[Any]) -> tuple[Any, int]:
    """Return a position of a match of greedy bots in which a seat has a choice, and the seat.

    Where the match is over before, it is one of the positions with the most to choose from.
    """
    before = []
    for number, (state, seat) in enumerate(positions(game, max(game.seats), seed=5)):
        if number < MOVES_BEFORE:
            before.append((state.copy(), seat))
        elif len(candidates(game, state, seat)) > MOST_SHOWN:
            return state, seat

    return max(before, key=lambda position: len(candidates(game, *position)))


def candidates(game: Game[Any], state: Any, seat: int) -> Sequence[Message]:
    """Return the moves that a thought weighs here, the favourite first."""
    assert game.search_hooks is not None
    return game.search_hooks.candidates(state, seat, FastChance(SEED))


@every_searched_game
def test_as_many_iterations_think_the_same(game: Game[Any]) -> None:
    """The same position, chance and number of iterations give the same thought to the byte."""
    state, seat = in_the_middle(game)
    thoughts = [
        search.think(game, state.copy(), seat, FastChance(SEED), ITERATIONS) for _ in range(2)
    ]

    assert thoughts[0] == thoughts[1]
    assert 0 < thoughts[0].iterations <= FUTURES


@every_searched_game
def test_a_thought_tells_the_best_three_moves(game: Game[Any]) -> None:
    """They are told with their chances, the one to play first, and no move twice."""
    state, seat = in_the_middle(game)
    thought = search.think(game, state, seat, FastChance(SEED), ITERATIONS)

    assert thought.best[0].move == thought.move
    told = {candidate.move for candidate in thought.best}
    assert len(told) == min(MOST_SHOWN, len(candidates(game, state, seat)))
    assert all(0 <= candidate.win_chance <= 1 for candidate in thought.best)


@every_searched_game
def test_the_imagined_state_is_left_as_it_is(game: Game[Any]) -> None:
    """All futures are played on copies."""
    state, seat = in_the_middle(game)
    before = state.copy()
    search.think(game, state, seat, FastChance(SEED), ITERATIONS)
    assert state == before


class Ticks:
    """A clock that goes on by so many seconds whenever it is read."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._now = 0.0

    def monotonic(self) -> float:
        """Return the time, later at every call."""
        self._now += self._seconds
        return self._now


@every_searched_game
def test_who_runs_out_of_time_plays_the_best_so_far(
    game: Game[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A future that is not begun in time is not played, and the move is legal all the same."""
    state, seat = in_the_middle(game)
    monkeypatch.setattr(search, "time", Ticks(0.3))

    thought = search.think(game, state, seat, FastChance(SEED), Budget(seconds=1.0))

    assert thought.iterations <= 4
    assert thought.move == candidates(game, state, seat)[0]


@pytest.mark.parametrize("seconds", [0.0, 0.3], ids=["no-future", "no-whole-world"])
@every_searched_game
def test_without_a_whole_world_nothing_is_told(
    game: Game[Any], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot in a hurry has compared nothing: it tells no chances rather than chances of 0."""
    state, seat = in_the_middle(game)
    monkeypatch.setattr(search, "time", Ticks(0.1))

    thought = search.think(game, state, seat, FastChance(SEED), Budget(seconds=seconds))

    assert thought.best == ()
    assert (thought.iterations > 0) == (seconds > 0)
    assert thought.move == candidates(game, state, seat)[0]


@pytest.mark.parametrize(("iterations", "weighed"), [(0, 0), (2, 0), (4, 2), (5, 3)])
@every_searched_game
def test_who_is_in_a_hurry_weighs_fewer_moves(
    game: Game[Any], iterations: int, weighed: int
) -> None:
    """The first world takes half of the budget at most, and a single move is not weighed."""
    state, seat = in_the_middle(game)
    budget = Budget(iterations=iterations)

    thought = search.think(game, state, seat, FastChance(SEED), budget)

    moves = candidates(game, state, seat)
    assert len(thought.best) == min(weighed, len(moves))
    assert thought.iterations <= iterations
    assert thought.move in moves[: max(1, weighed)]


def test_care_is_taken_in_the_turn_at_hand_alone() -> None:
    """Where a budget asks for it, the seat's own turn is played so to its end, and nothing else."""
    game = GAMES["calimala"]
    state, seat = in_the_middle(game)
    hooks = game.search_hooks
    assert hooks is not None
    with_care = []

    def careful(now: Any, whose: int, chance: Chance) -> Message:
        with_care.append((whose, hooks.turn_begins(now)))
        return hooks.careful(now, whose, chance)

    watched = replace(game, search_hooks=replace(hooks, careful=careful))
    search.think(watched, state.copy(), seat, FastChance(SEED), ITERATIONS)
    assert with_care == []

    search.think(watched, state.copy(), seat, FastChance(SEED), replace(ITERATIONS, careful=True))
    assert len(with_care) > FUTURES / 2
    assert not any(begins for _whose, begins in with_care)
    assert (seat, False) in with_care


@pytest.mark.parametrize("level", ["quick", "strong"])
def test_a_level_keeps_to_its_time(level: str) -> None:
    """Beyond its time there is at most the future that was begun before, and the first look."""
    game = GAMES["calimala"]
    state, seat = in_the_middle(game)
    player, budget = LEVELS[level]
    assert budget.seconds is not None

    began = time.process_time()
    player(game, state, seat, FastChance(SEED), budget)
    assert time.process_time() - began < budget.seconds + 0.5


def last_round(card: int) -> Table:
    """Return a toy of two in its last round, in which seat 0 holds this card."""
    state = TOY.initial(Setup(2, {"rounds": 1, "edition": "plain"}))
    TOY.play(Draft(state, TOY.evolve, FastChance(1)), TOY.opening)
    state.cards[0] = card
    return state


@pytest.mark.parametrize(("card", "better"), [(0, Swap), (5, Keep)])
def test_it_finds_what_is_plainly_better(card: int, better: type) -> None:
    """Though something else looks best: by futures alone, which are played at random to the end."""
    thought = search.think(SHORT, last_round(card), 0, FastChance(2), Budget(iterations=400))
    assert type(thought.move) is better


def test_without_foresight_the_greedy_move_is_played() -> None:
    """A match that was opened with such a bot goes on when its game has lost its foresight."""
    state = last_round(5)
    thought = search.think(TOY, state.copy(), 0, FastChance(2), Budget(seconds=1.0))

    assert thought.move == TOY.advise(state, 0, FastChance(2))
    assert (thought.best, thought.iterations) == ((), 0)


def test_where_there_is_no_choice_nothing_is_weighed() -> None:
    """A single candidate is played at once, such as what a bot does in an activation."""
    game = GAMES["calimala"]
    state, seat = in_the_middle(game)
    assert game.search_hooks is not None
    draft = Draft(state, game.evolve, FastChance(1))
    game.play(draft, game.advise(state.copy(), seat, FastChance(1)))

    thought = search.think(game, state, game.actors(state)[0], FastChance(1), ITERATIONS)
    assert thought.iterations == 0
    assert thought.best == ()
