"""Levels and pairs as they are named, who sits where, and that a match depends on itself alone."""

from collections import Counter

import pytest

from domain.games import GAMES
from workers.arena.fixtures import (
    BadRequest,
    Fixture,
    Level,
    fixtures,
    pairs_among,
    parse_level,
    parse_levels,
    parse_pair,
    seats_of,
)
from workers.bots import LEVELS
from workers.bots.players import Budget

PAIR = parse_pair("random,greedy")
OTHER_PAIR = parse_pair("random,quick:5")


@pytest.mark.parametrize(
    ("text", "level", "budget"),
    [
        ("greedy", Level("greedy"), LEVELS["greedy"][1]),
        (" strong ", Level("strong"), LEVELS["strong"][1]),
        ("strong:7", Level("strong", 7), Budget(iterations=7, careful=True)),
        ("quick:200", Level("quick", 200), Budget(iterations=200)),
    ],
)
def test_a_level_is_read_and_written(text: str, level: Level, budget: Budget) -> None:
    """With a number of iterations a level keeps its care and forgets its time."""
    assert parse_level(text) == level
    assert str(level) == text.strip()
    assert level.budget == budget


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("clever", "the levels are random, greedy, quick, strong", id="unknown"),
        pytest.param("greedy:5", "greedy does not search", id="without-search"),
        pytest.param("quick:", "1 to 1000000 iterations", id="no-number"),
        pytest.param("quick:0", "1 to 1000000 iterations", id="none"),
        pytest.param("quick:1000001", "1 to 1000000 iterations", id="too-many"),
        pytest.param("quick:" + "9" * 5000, "1 to 1000000 iterations", id="very-long"),
        pytest.param("quick:²", "1 to 1000000 iterations", id="other-digits"),
    ],
)
def test_a_wrong_level_is_refused(text: str, reason: str) -> None:
    """The refusal says what is allowed."""
    with pytest.raises(BadRequest, match=reason):
        parse_level(text)


@pytest.mark.parametrize("text", ["greedy", "random,greedy,quick", "greedy,greedy"])
def test_a_pair_is_two_different_levels(text: str) -> None:
    with pytest.raises(BadRequest):
        parse_pair(text)


def test_the_weaker_level_of_a_pair_comes_first() -> None:
    """So a pair has one place and one seed. Levels of one name are ordered by their iterations."""
    weakest_first = parse_levels("random,greedy,quick:20,quick:300,quick,strong")
    pairs = pairs_among(weakest_first[::-1])

    assert len(set(pairs)) == 15
    for one in pairs:
        assert weakest_first.index(one[0]) < weakest_first.index(one[1])
    assert parse_pair("quick:9,random") == parse_pair("random,quick:9")


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_each_level_holds_each_seat_alone_equally_often(seats: int) -> None:
    """Within twice as many matches as there are seats, each level has been alone at each once."""
    planned = list(fixtures({"calimala": [seats]}, [PAIR], 2 * seats))
    alone = Counter((fixture.odd_level, fixture.odd_seat) for fixture in planned)

    assert alone == {(level, seat): 1 for level in PAIR for seat in range(seats)}
    for fixture in planned:
        assert fixture.levels.count(fixture.odd_level) == 1 or seats == 2
        assert fixture.levels[fixture.odd_seat] == fixture.odd_level


def test_a_match_depends_on_nothing_else_that_is_planned() -> None:
    """What is planned in a small arena is planned in a larger one; each match has its own seed."""
    small = set(fixtures({"calimala": [3]}, [PAIR], 3))
    larger = list(fixtures({"firenze": [2], "calimala": [3, 4]}, [OTHER_PAIR, PAIR], 5))
    seeds = {fixture.seed(arena_seed) for fixture in larger for arena_seed in (1, 2)}

    assert small < set(larger)
    assert len(seeds) == 2 * len(larger)
    assert Fixture("firenze", 3, PAIR, 1).seed(1) == (
        "846c48d0770dc03f2dfedfcf13156a7c7d8f70b36a42c834e40bf0e880b1d8d9"
    )
    numbers = [fixture.number for fixture in larger]
    assert numbers == sorted(numbers), "the first matches of all pairs come before the second"


def test_all_seats_are_played_unless_some_are_wanted() -> None:
    """Seats that a game does not take are refused."""
    everything = seats_of(list(GAMES), [])

    assert everything == {key: list(game.seats) for key, game in GAMES.items()}
    assert seats_of(["calimala"], [4, 3, 4]) == {"calimala": [3, 4]}
    with pytest.raises(BadRequest, match="Calimala does not take 2 seats; it takes 3, 4, 5"):
        seats_of(["firenze", "calimala"], [2])
