"""The race of moves: time goes to those that matter, and the leader is played."""

from collections.abc import Sequence

import pytest

from domain.chance import FastChance
from domain.game import Message
from tests.toy.messages import Keep
from workers.bots.search import Race

MOVES = [Keep(seat) for seat in range(3)]  # any three messages
WORLDS = 200


def run(
    race: Race,
    chances: Sequence[float],
    noise: float = 0.0,
    shared: float = 0.0,
    seed: int = 7,
) -> int:
    """Run a race in which each move wins so often, give or take; return how many worlds it took.

    noise: what luck does to each move by itself. shared: what a world does to all of them.
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


def worlds_of(race: Race, move: Message) -> int:
    """Return in how many worlds a move was tried."""
    return next(runner.seen for runner in race.runners if runner.move == move)


def test_the_better_move_wins_though_worlds_differ_more_than_moves() -> None:
    """What a world does to all moves drops out of the comparison."""
    race = Race(MOVES[:2])
    took = run(race, [0.4, 0.5], noise=0.02, shared=0.4)

    assert race.winner().move == MOVES[1]
    assert took < WORLDS


def test_the_worlds_go_to_the_moves_that_may_still_win() -> None:
    """What is far behind drops out early, in thirty races of thirty."""
    worlds = [0, 0, 0]
    for seed in range(30):
        race = Race(MOVES)
        run(race, [0.5, 0.1, 0.52], noise=0.2, seed=seed)
        assert worlds_of(race, MOVES[1]) < 12
        for number, move in enumerate(MOVES):
            worlds[number] += worlds_of(race, move)

    assert worlds[2] > 3 * worlds[1]
    assert worlds[0] >= worlds[2]


def test_the_race_ends_when_the_favourite_alone_is_left() -> None:
    """No time is spent on what cannot change the move."""
    race = Race(MOVES)
    took = run(race, [0.6, 0.3, 0.2], noise=0.1)

    assert race.is_over
    assert took < 20
    assert race.winner().move == MOVES[0]


def test_the_leader_is_played() -> None:
    """Who does better on average, though not in every world; the favourite only if level."""
    race = Race(MOVES[:2])
    for lead in (0.0, 0.3, -0.28):
        race.note([0.5, 0.5 + lead])
        assert race.winner().move == MOVES[1 if lead else 0]


def test_what_makes_no_difference_drops_out() -> None:
    """Two ways to do the same thing are not compared until the time is over."""
    race = Race(MOVES[:2])
    assert run(race, [0.5, 0.5], shared=0.3) < 10
    assert race.winner().move == MOVES[0]


def test_where_nothing_was_tried_the_favourite_is_played() -> None:
    """A race without a single world has no leader."""
    assert Race(MOVES).winner().move == MOVES[0]


def test_win_chances_count_from_the_favourites() -> None:
    """A move that dropped out in lucky worlds is not told as better than it was beside others."""
    race = Race(MOVES[:2])
    for _world in range(8):
        race.note([0.9, 0.7])
    assert [runner.move for runner in race.running] == [MOVES[0]]

    for runner in race.runners:
        assert 0 <= race.win_chance(runner) <= 1
    favourite, other = race.runners
    assert race.win_chance(favourite) == pytest.approx(0.9)
    assert race.win_chance(other) == pytest.approx(0.7)
