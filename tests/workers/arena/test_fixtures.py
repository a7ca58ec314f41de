"""Who sits where, and that a match depends on nothing but itself."""

from collections import Counter

import pytest

from domain.games import GAMES
from workers.arena.fixtures import BadRequest, Fixture, fixtures, parse_pair, seats_of

PAIR = parse_pair("random,greedy")
OTHER_PAIR = parse_pair("random,quick:5")


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_each_level_holds_each_seat_alone_equally_often(seats: int) -> None:
    """Within twice as many matches as there are seats, each level has been alone at each once."""
    played = fixtures({"calimala": [seats]}, [PAIR], 2 * seats)
    alone = Counter((fixture.odd_level, fixture.odd_seat) for fixture in played)

    assert alone == {(level, seat): 1 for level in PAIR for seat in range(seats)}


def test_one_seat_plays_against_the_others() -> None:
    """One level has one seat, the other one all the rest."""
    first, second = fixtures({"calimala": [4]}, [PAIR], 2)

    assert [str(level) for level in first.levels] == ["random", "greedy", "greedy", "greedy"]
    assert [str(level) for level in second.levels] == ["greedy", "random", "random", "random"]


def test_more_matches_pairs_and_seats_change_no_match() -> None:
    """What is planned in a small arena is planned in a larger one, with the same seeds."""
    small = set(fixtures({"calimala": [3]}, [PAIR], 3))
    larger = set(fixtures({"firenze": [2], "calimala": [3, 4]}, [OTHER_PAIR, PAIR], 5))

    assert small < larger


def test_each_match_has_a_seed_of_its_own() -> None:
    """Seeds differ by arena, game, seats, pair and number, and are the same each time."""
    played = list(fixtures({"firenze": [3, 4], "calimala": [3, 4]}, [OTHER_PAIR, PAIR], 10))
    seeds = {fixture.seed(arena_seed) for fixture in played for arena_seed in (1, 2)}

    assert len(seeds) == 2 * len(played)
    assert Fixture("firenze", 3, PAIR, 1).seed(1) == (
        "846c48d0770dc03f2dfedfcf13156a7c7d8f70b36a42c834e40bf0e880b1d8d9"
    )


def test_each_match_has_a_record_of_its_own() -> None:
    """The path names game, seats, pair and number, in letters that every file system takes."""
    assert str(Fixture("firenze", 3, OTHER_PAIR, 12).record) == (
        "firenze/3/random-quick_5/0012.ndjson.zst"
    )


def test_a_stopped_arena_has_played_as_many_of_each() -> None:
    """The first matches of all pairs come before the second of any."""
    numbers = [fixture.number for fixture in fixtures({"firenze": [2, 3]}, [PAIR, OTHER_PAIR], 3)]
    assert numbers == sorted(numbers)


def test_all_seats_are_played_unless_some_are_wanted() -> None:
    """Without a wish each game is played at every number of seats that it takes."""
    everything = seats_of(list(GAMES), [])

    assert everything == {key: list(game.seats) for key, game in GAMES.items()}
    assert seats_of(["calimala"], [4, 3, 4]) == {"calimala": [3, 4]}


def test_seats_that_a_game_does_not_take_are_refused() -> None:
    """The refusal names those that it takes."""
    with pytest.raises(BadRequest, match="Calimala does not take 2 seats; it takes 3, 4, 5"):
        seats_of(["firenze", "calimala"], [2])
