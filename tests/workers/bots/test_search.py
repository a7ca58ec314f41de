"""The search keeps to its budget, is reproducible, and finds plainly better moves."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from domain.chance import Chance, FastChance
from domain.game import Draft, Game, Message, SearchHooks, Setup
from domain.games import GAMES
from tests.domain.laws import positions
from tests.toy import TOY, Keep, Swap, Table
from workers.bots import search
from workers.bots.players import MOST_SHOWN, Budget
from workers.bots.search import Race

FUTURES = 60
ITERATIONS = Budget(iterations=FUTURES)
MOVES_BEFORE = 40
SEED = 9  # of the thoughts. The number of candidates may depend on it


def candidates_of_the_toy(state: Table, seat: int, _chance: Chance) -> list[Message]:
    """Return both moves, the wrong one first: a good card is swapped, a bad one kept."""
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


# A short game, never with much to choose from.
SHORT: Game[Any] = replace(TOY, search_hooks=AT_RANDOM)

SEARCHED = [game for game in (*GAMES.values(), SHORT) if game.search_hooks is not None]
every_searched_game = pytest.mark.parametrize("game", SEARCHED, ids=lambda game: game.key)


def in_the_middle(game: Game[Any]) -> tuple[Any, int]:
    """Return a position of a match of greedy bots with a choice for a seat, and the seat.

    If the match is over before, return a position with the most candidates.
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


@pytest.mark.whole
@every_searched_game
def test_as_many_iterations_think_the_same(game: Game[Any]) -> None:
    """The same position, chance and number of iterations give the same thought to the byte."""
    state, seat = in_the_middle(game)
    before = state.copy()
    thoughts = [search.think(game, state, seat, FastChance(SEED), ITERATIONS) for _ in range(2)]

    assert thoughts[0] == thoughts[1]
    assert 0 < thoughts[0].iterations <= FUTURES
    assert state == before, "all futures are played on copies"


@pytest.mark.whole
@every_searched_game
def test_a_thought_holds_the_best_three_moves(game: Game[Any]) -> None:
    """The moves have their chances. The move to play is first, and no move stands twice."""
    state, seat = in_the_middle(game)
    thought = search.think(game, state, seat, FastChance(SEED), ITERATIONS)

    assert thought.best[0].move == thought.move
    moves = {candidate.move for candidate in thought.best}
    assert len(moves) == min(MOST_SHOWN, len(candidates(game, state, seat)))
    assert all(0 <= candidate.win_chance <= 1 for candidate in thought.best)


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
def test_a_search_out_of_time_plays_the_best_so_far(
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
def test_without_a_whole_world_no_chances_are_shown(
    game: Game[Any], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot in a hurry has compared nothing: it shows no chances rather than chances of 0."""
    state, seat = in_the_middle(game)
    monkeypatch.setattr(search, "time", Ticks(0.1))

    thought = search.think(game, state, seat, FastChance(SEED), Budget(seconds=seconds))

    assert thought.best == ()
    assert (thought.iterations > 0) == (seconds > 0)
    assert thought.move == candidates(game, state, seat)[0]


@pytest.mark.whole
@pytest.mark.parametrize(("iterations", "weighed"), [(0, 0), (2, 0), (4, 2), (5, 3)])
@every_searched_game
def test_a_search_in_a_hurry_weighs_fewer_moves(
    game: Game[Any], iterations: int, weighed: int
) -> None:
    """The first world ends once half of the budget is spent. A single move is not weighed."""
    state, seat = in_the_middle(game)
    budget = Budget(iterations=iterations)

    thought = search.think(game, state, seat, FastChance(SEED), budget)

    moves = candidates(game, state, seat)
    assert len(thought.best) == min(weighed, len(moves))
    assert thought.iterations <= iterations
    assert thought.move in moves[: max(1, weighed)]


@pytest.mark.whole
def test_care_is_taken_in_the_turn_at_hand_alone() -> None:
    """If a budget asks for care, only the present turn is played with care, to its end."""
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


def last_round(card: int) -> Table:
    """Return a toy of two in its last round, with this card for seat 0."""
    state = TOY.initial(Setup(2, {"rounds": 1, "edition": "plain"}))
    TOY.play(Draft(state, TOY.evolve, FastChance(1)), TOY.opening)
    state.cards[0] = card
    return state


@pytest.mark.parametrize(("card", "better"), [(0, Swap), (5, Keep)])
def test_it_finds_a_plainly_better_move(card: int, better: type) -> None:
    """Another move looks best. The search finds the better one by random futures alone."""
    thought = search.think(SHORT, last_round(card), 0, FastChance(2), Budget(iterations=400))
    assert type(thought.move) is better


def test_without_foresight_the_greedy_move_is_played() -> None:
    """A match of a bot that searches goes on when its game has lost its search hooks."""
    state = last_round(5)
    thought = search.think(TOY, state.copy(), 0, FastChance(2), Budget(seconds=1.0))

    assert thought.move == TOY.advise(state, 0, FastChance(2))
    assert (thought.best, thought.iterations) == ((), 0)


def test_a_single_candidate_is_not_weighed() -> None:
    """A single candidate is played at once, such as a bot's move in an activation."""
    game = GAMES["calimala"]
    state, seat = in_the_middle(game)
    assert game.search_hooks is not None
    draft = Draft(state, game.evolve, FastChance(1))
    game.play(draft, game.advise(state.copy(), seat, FastChance(1)))

    thought = search.think(game, state, game.actors(state)[0], FastChance(1), ITERATIONS)
    assert thought.iterations == 0
    assert thought.best == ()


# ---- the race of moves --------------------------------------------------------------------------

MOVES = [Keep(seat) for seat in range(3)]  # any three messages
WORLDS = 200


def run_race(
    race: Race,
    chances: Sequence[float],
    noise: float = 0.0,
    shared: float = 0.0,
    seed: int = 7,
) -> int:
    """Run a race of moves with chances and noise. Return the number of worlds it took.

    noise: the luck of each move by itself. shared: a world's effect on all of them.
    """
    draws = FastChance(seed)

    def luck(most: float) -> float:
        return most * (draws.below(1001) / 500 - 1)

    by_move: dict[Message, float] = dict(zip(MOVES, chances, strict=False))
    for world in range(WORLDS):
        if race.is_over:
            return world
        common = luck(shared)
        race.note([by_move[runner.move] + common + luck(noise) for runner in race.running])
    return WORLDS


def test_the_better_move_wins_over_differences_of_worlds() -> None:
    """A world's effect on all moves drops out of the comparison."""
    race = Race(MOVES[:2])
    took = run_race(race, [0.4, 0.5], noise=0.02, shared=0.4)

    assert race.winner().move == MOVES[1]
    assert took < WORLDS


def test_the_race_ends_when_the_favourite_alone_may_still_win() -> None:
    """A race ends early with a clear favourite, and with level moves."""
    clear = Race(MOVES)
    assert run_race(clear, [0.6, 0.3, 0.2], noise=0.1) < 20
    level = Race(MOVES[:2])
    assert run_race(level, [0.5, 0.5], shared=0.3) < 10

    for race in (clear, level):
        assert race.is_over
        assert race.winner().move == MOVES[0]


def test_the_leader_is_played_and_favourites_give_the_chances() -> None:
    """The move with the better average leads, even if worse in some worlds. If level, the first.

    The chance of a dropped move is the favourite's, less the mean loss in their common worlds.
    """
    race = Race(MOVES[:2])
    assert race.winner().move == MOVES[0], "nothing was tried"
    for lead in (0.0, 0.3, -0.28):
        race.note([0.5, 0.5 + lead])
        assert race.winner().move == MOVES[1 if lead else 0]

    race = Race(MOVES)
    for _world in range(8):
        race.note([0.9, 0.2, 0.7][: len(race.running)])
    assert [runner.move for runner in race.running] == [MOVES[0]]
    race.note([0.1])  # the dropped moves are not tried any more

    favourite, slow, other = race.runners
    assert race.win_chance(favourite) == pytest.approx(7.3 / 9)
    assert race.win_chance(other) == pytest.approx(7.3 / 9 - 0.2)
    assert race.win_chance(slow) == pytest.approx(7.3 / 9 - 0.7)
