"""Ratings: which matches are rated, and that the same matches always give the same numbers."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from service import ratings
from service.ledger.commit import milliseconds
from service.matches import lobby
from service.matches.command_handler import Submission
from service.matches.context import Context
from service.matches.forks import ForkRequest
from service.matches.opening import Opened
from service.ratings import BEGINNER, Place, Rating, Result, Seated
from tests import toy
from tests.attacks.forging import entries_of
from tests.service.rated import ADA, BEN, CLEO, commits_of, played, put, with_keys
from tests.service.toy_matches import new_context

GREEDY = "bot:greedy"


@pytest.fixture(autouse=True)
def _toy_game(monkeypatch: pytest.MonkeyPatch) -> None:
    toy.install(monkeypatch)


# ---- which matches are rated ---------------------------------------------------------------------


def replaced(ctx: Context, match: Opened) -> None:
    """Let the owner put a bot at seat 1, and give the seat back before anything is played."""
    by_owner = Submission(match.loaded.id, match.tokens["owner"])
    lobby.replace(ctx, by_owner, 1, "random")
    lobby.restore(ctx, by_owner, 1)


def resigned(ctx: Context, match: Opened) -> None:
    """Let seat 1 resign."""
    lobby.resign(ctx, Submission(match.loaded.id, match.tokens["seat:1"]))


def aborted(ctx: Context, match: Opened) -> None:
    """Let the owner end the match."""
    lobby.abort(ctx, Submission(match.loaded.id, match.tokens["owner"]))


def fork() -> list[bytes]:
    """Return the record of a match that goes on from another one."""
    ctx = new_context()
    base = put(ctx, played(ADA, BEN))
    return played(ADA, BEN, ctx=ctx, seed="another", options={}, fork=ForkRequest(base, 3))


RATED: dict[str, Callable[[], list[bytes]]] = {
    "two keys": lambda: played(ADA, BEN),
    "a key and a bot": lambda: played(ADA, GREEDY),
    "a level of bots twice": lambda: played(ADA, GREEDY, GREEDY),
    "moves taken back by consent": lambda: played(ADA, BEN, take_back="consent"),
}
UNRATED: dict[str, tuple[str, Callable[[], list[bytes]]]] = {
    "a human without a key": (ratings.NO_KEY, lambda: played(ADA, "")),
    "no key at all": (ratings.NO_KEY, lambda: played("", "")),
    "bots alone": (ratings.NO_KEY, lambda: played(GREEDY, GREEDY, clock=None)),
    "a key that has signed nothing": (
        ratings.NO_KEY,
        lambda: with_keys(played("", ""), [ADA, BEN], signed=False),
    ),
    "no clock": (ratings.NO_CLOCK, lambda: played(ADA, BEN, clock=None)),
    "a bot stood in for a while": (ratings.STAND_IN, lambda: played(ADA, BEN, act=replaced)),
    "a human resigned": (ratings.STAND_IN, lambda: played(ADA, BEN, act=resigned)),
    "ended by the owner": (ratings.NO_RESULT, lambda: played(ADA, BEN, act=aborted)),
    "a fork": (ratings.FORK, fork),
    "private": (ratings.PRIVATE, lambda: played(ADA, BEN, visibility="private")),
    "not ended": (ratings.NOT_ENDED, lambda: played(ADA, BEN, to_end=False)),
    "one key at all seats": (ratings.ONE_PLAYER, lambda: played(ADA, ADA)),
}


@pytest.mark.parametrize("case", RATED)
def test_it_is_rated(case: str) -> None:
    """All humans have signed with their keys, there was a clock, and the game came to its end."""
    result = ratings.result_of(commits_of(RATED[case]()))
    assert result.why_not == ""


@pytest.mark.parametrize("case", UNRATED)
def test_it_is_not_rated_and_says_why(case: str) -> None:
    """The first reason that holds is named, and the match changes no rating."""
    why_not, play = UNRATED[case]
    result = ratings.result_of(commits_of(play()))
    assert result.why_not == why_not
    assert ratings.fold([result]) == {}


def test_the_reasons_that_are_shown_are_those_there_are() -> None:
    """Every reason has a case; private and unended matches are shown to nobody."""
    named = {why_not for why_not, _ in UNRATED.values()}
    hidden = {ratings.PRIVATE, ratings.NOT_ENDED}
    assert named - hidden == set(ratings.SHOWN_REASONS)


def test_the_place_of_a_match_is_when_its_game_ended() -> None:
    """Not when it was revealed, nor when a name was erased before that."""
    lines = played(ADA, BEN)
    entries = entries_of(lines)
    tags = [[event["type"] for event in stored["commit"]["events"]] for stored in entries]
    assert tags[-1] == ["secrets_revealed"]

    result = ratings.result_of(commits_of(lines))
    assert result.place == Place(
        milliseconds(entries[-2]["commit"]["time"]), entries[0]["commit"]["match"]
    )
    assert result.place.ended < milliseconds(entries[-1]["commit"]["time"])


def test_seats_say_who_has_signed_there_and_whether_a_name_was_given() -> None:
    """A human without a key is nobody; a level of bots is a player."""
    result = ratings.result_of(commits_of(played(ADA, "", GREEDY)))
    assert [seat.player for seat in result.seats] == [ADA, "", GREEDY]
    assert [seat.is_named for seat in result.seats] == [True, True, False]
    assert min(seat.rank for seat in result.seats) == 1


def test_a_signature_before_the_start_makes_nobody_a_player() -> None:
    """In the lobby anybody may sit down with anybody's key, and leave again."""
    commits = commits_of(played(ADA, BEN))
    assert ratings._signers(commits) == {"seat:0", "seat:1"}
    never_started = [commit.replace(b"match_started", b"something") for commit in commits]
    assert ratings._signers(never_started) == set()


# ---- the ratings that follow ---------------------------------------------------------------------


def result(number: int, *seats: tuple[str, int], game: str = "toy") -> Result:
    """Return the result of a rated match: who sat there, and with which rank."""
    seated = tuple(Seated(player, is_named=False, rank=rank) for player, rank in seats)
    return Result(Place(number // 2, f"m{number}"), game, seated)


def made_up(number: int) -> Result:
    """Return the result of one of many matches of few players, in which ranks are shared."""
    chance = random.Random(number)
    players = chance.sample([ADA, BEN, CLEO, GREEDY, "bot:random"], chance.randint(2, 5))
    ranks = sorted(chance.choices(range(1, 4), k=len(players)))
    game = chance.choice(["toy", "other"])
    return result(number, *zip(players, ranks, strict=True), game=game)


MANY = [made_up(number) for number in range(60)]


@given(st.permutations(MANY))
def test_the_order_in_which_results_come_makes_no_difference(shuffled: list[Result]) -> None:
    """They count by the time at which the game ended, then by the match's id."""
    assert ratings.fold(shuffled) == ratings.fold(MANY)


def test_the_order_of_the_ends_makes_a_difference() -> None:
    """Whoever wins last gains more than by winning first against the same players."""
    early, late = result(2, (ADA, 1), (BEN, 2)), result(8, (ADA, 2), (BEN, 1))
    swapped = [replace(early, place=late.place), replace(late, place=early.place)]
    assert ratings.fold([early, late]) != ratings.fold(swapped)


def test_numbers_are_known() -> None:
    """A release of openskill that came to others would change every rating that was shown."""
    [(game, of_game)] = ratings.fold([result(0, (ADA, 1), (BEN, 2), (CLEO, 2))]).items()
    assert game == "toy"
    assert of_game == {
        ADA: Rating(27_869_049, 8_205_243, 1),
        BEN: Rating(23_565_476, 8_058_224, 1),
        CLEO: Rating(23_565_476, 8_058_224, 1),
    }


def test_equal_ranks_of_equal_players_leave_them_equal() -> None:
    """Who shares a rank with an equal gains and loses nothing on him, and is more certain."""
    ada, ben = ratings.fold([result(0, (ADA, 1), (BEN, 1))])["toy"].values()
    assert ada == ben
    assert ada.mean == BEGINNER.mean
    assert ada.sigma < BEGINNER.sigma


def test_of_several_bots_of_a_level_the_best_placed_counts() -> None:
    """So a level gains nothing by sitting there twice."""
    twice = result(0, (GREEDY, 3), (ADA, 2), (GREEDY, 1))
    once = result(0, (GREEDY, 1), (ADA, 2))
    assert ratings.fold([twice]) == ratings.fold([once])


def test_games_have_ratings_of_their_own() -> None:
    """A match of one game changes no rating of another."""
    both = [result(0, (ADA, 1), (BEN, 2)), result(1, (ADA, 2), (BEN, 1), game="other")]
    assert ratings.fold(both)["toy"] == ratings.fold(both[:1])["toy"]


def test_equal_players_share_a_place_and_stand_by_their_keys() -> None:
    """The next place after two that share the first is the third."""
    best, worst = Rating(30_000_000, 1_000_000, 3), Rating(20_000_000, 1_000_000, 3)
    listed = ratings.placed(ratings.in_order({CLEO: best, ADA: worst, BEN: best}))
    assert [(line["place"], line["player"]) for line in listed] == [(1, BEN), (1, CLEO), (3, ADA)]
    assert listed[0]["rating"]["ordinal"] == 27.0


@pytest.mark.parametrize(
    ("millionths", "shown"),
    [
        (25_000_000, "25.0"),
        (8_333_333, "8.333"),
        (-1_500, "-0.002"),
        (499, "0.0"),
        (1_234_567, "1.235"),
    ],
)
def test_numbers_are_shown_with_three_decimals_at_the_most(millionths: int, shown: str) -> None:
    """Whole thousandths, which every program writes in the same way."""
    assert str(ratings.thousandths(millionths)) == shown
