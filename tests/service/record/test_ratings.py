"""Ratings: which matches are rated, and that the same matches give the same numbers."""

import math
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, strategies as st

from domain.match.messages import RunOut
from domain.match.terms import clock_of
from domain.seats import HOUSE_ACTOR
from service.base import answers
from service.matches import lobby
from service.matches.command_handler import Act, Submission, commit
from service.matches.context import Context
from service.matches.opening import NewMatch
from service.matches.repository import load
from service.record import ratings
from service.record.commit import milliseconds
from service.record.ratings import BEGINNER, UNIT, MatchResult, OrderKey, Seated, Strength
from service.record.terms.fork import ForkRequest
from tests import toy
from tests.attacks.forging import chained, entries_of, opening_messages
from tests.service.rated import ADA, BEN, CLEO, DORA, commits_of, played, put, with_keys
from tests.service.toy_matches import first_match_rules, new_context, play_on

GREEDY = "bot:greedy"


@pytest.fixture(autouse=True)
def _toy_game(monkeypatch: pytest.MonkeyPatch) -> None:
    toy.install(monkeypatch)


# ---- which matches are rated ---------------------------------------------------------------------


def replaced(ctx: Context, match: NewMatch) -> None:
    """Let the owner put a bot at seat 1, and give the seat back before anything is played."""
    by_owner = Submission(match.loaded.id, match.tokens["owner"])
    lobby.replace(ctx, by_owner, 1, "random")
    lobby.restore(ctx, by_owner, 1)


def resigned(ctx: Context, match: NewMatch) -> None:
    """Let seat 1 resign."""
    lobby.resign(ctx, Submission(match.loaded.id, match.tokens["seat:1"]))


def replaced_by_first_rules() -> list[bytes]:
    """Return the record of a match by match rules 1 with a replacement of seat 1 by the owner."""
    with first_match_rules():
        return played(ADA, BEN, act=replaced)


def resigned_by_first_rules() -> list[bytes]:
    """Return the record of a match by match rules 1 with a resignation of seat 1."""
    with first_match_rules():
        return played(ADA, BEN, act=resigned)


def run_out(ctx: Context, match: NewMatch) -> None:
    """Let the time of a seat run out in the last of three rounds."""
    play_on(ctx, match, until=7)
    while not (clock := clock_of(load(ctx, match.loaded.id).match)) or not clock.paying:
        play_on(ctx, match, until=load(ctx, match.loaded.id).version + 1)
    seat = clock.paying[0]
    due = clock.due(seat)
    late = replace(ctx, clock=lambda: due)
    commit(late, load(ctx, match.loaded.id), Act(HOUSE_ACTOR, RunOut(seat, due)))


def aborted(ctx: Context, match: NewMatch) -> None:
    """Let the owner end the match."""
    lobby.abort(ctx, Submission(match.loaded.id, match.tokens["owner"]))


def fork() -> list[bytes]:
    """Return the record of a fork of another match."""
    ctx = new_context()
    base = put(ctx, played(ADA, BEN))
    return played(ADA, BEN, ctx=ctx, seed="another", options={}, fork=ForkRequest(base, 3))


def with_advice() -> list[bytes]:
    """Return the record of a match with advice for humans."""
    entries = entries_of(played(ADA, BEN))
    for message in opening_messages(entries):
        message["advice"] = True
    return chained(entries)


RATED: dict[str, Callable[[], list[bytes]]] = {
    "two keys": lambda: played(ADA, BEN),
    "a key and a bot": lambda: played(ADA, GREEDY),
    "a level of bots twice": lambda: played(ADA, GREEDY, GREEDY),
    "a human resigned": lambda: played(ADA, BEN, act=resigned),
    "time ran out": lambda: played(ADA, BEN, act=run_out, options={"rounds": 3}),
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
    "a bot stood in for a while": (ratings.STAND_IN, replaced_by_first_rules),
    "a human resigned by match rules 1": (ratings.STAND_IN, resigned_by_first_rules),
    "opened with a seed": (ratings.KNOWN_SEED, lambda: played(ADA, BEN, known_seed="a seed")),
    "with advice": (ratings.ADVICE, with_advice),
    "with take-back of own moves": ("take_back", lambda: played(ADA, BEN, take_back="own")),
    "with take-back by consent": (
        "take_back",
        lambda: played(ADA, BEN, take_back="consent"),
    ),
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


def test_a_resigned_player_is_rated_as_the_last() -> None:
    """A player who resigns is ranked last, whatever the result of the bot."""
    result = ratings.result_of(commits_of(played(ADA, BEN, act=resigned)))
    assert [seat.rank for seat in result.seats] == [1, 2]
    of_game = ratings.fold([result])["toy"]
    assert of_game[ADA].mean > BEGINNER.mean > of_game[BEN].mean


@pytest.mark.parametrize("case", UNRATED)
def test_it_is_not_rated_and_says_why(case: str) -> None:
    """The first true reason is named, and the match changes no rating."""
    why_not, play = UNRATED[case]
    result = ratings.result_of(commits_of(play()))
    assert result.why_not == why_not
    assert ratings.fold([result]) == {}


def test_the_reasons_that_are_shown_are_those_there_are() -> None:
    """Every shown reason has a case here. Reasons of private and unended matches are not shown."""
    reasons = {why_not for why_not, _ in UNRATED.values()}
    hidden = {ratings.PRIVATE, ratings.NOT_ENDED}
    assert reasons - hidden == set(get_args(answers.NotRated))


def test_the_place_of_a_match_is_when_its_game_ended() -> None:
    """Matches are ordered by the end of the game, not by the revelation."""
    lines = played(ADA, BEN)
    entries = entries_of(lines)
    tags = [[event["type"] for event in stored["commit"]["events"]] for stored in entries]
    assert tags[-1] == ["secrets_revealed"]

    result = ratings.result_of(commits_of(lines))
    assert result.place == OrderKey(
        milliseconds(entries[-2]["commit"]["time"]), entries[0]["commit"]["match"]
    )
    assert result.place.ended < milliseconds(entries[-1]["commit"]["time"])


def test_seats_name_their_signer_and_tell_if_a_name_was_given() -> None:
    """A human without a key is not a player. A level of bots is one."""
    result = ratings.result_of(commits_of(played(ADA, "", GREEDY)))
    assert [seat.player for seat in result.seats] == [ADA, "", GREEDY]
    assert [seat.is_named for seat in result.seats] == [True, True, False]
    assert min(seat.rank for seat in result.seats) == 1


def test_a_signature_before_the_start_makes_nobody_a_player() -> None:
    """Only signatures after the start make a player."""
    commits = commits_of(played(ADA, BEN))
    assert ratings._signers(commits) == {"seat:0", "seat:1"}
    never_started = [commit.replace(b"match_started", b"something") for commit in commits]
    assert ratings._signers(never_started) == set()


# ---- the resulting ratings -----------------------------------------------------------------------


def result(number: int, *seats: tuple[str, int], game: str = "toy") -> MatchResult:
    """Return the result of a rated match: its players and their ranks."""
    seated = tuple(Seated(player, is_named=False, rank=rank) for player, rank in seats)
    return MatchResult(OrderKey(number // 2, f"m{number}"), game, seated)


def made_up(number: int) -> MatchResult:
    """Return the result of one of many matches of few players, with shared ranks."""
    chance = random.Random(number)
    players = chance.sample([ADA, BEN, CLEO, GREEDY, "bot:random"], chance.randint(2, 5))
    ranks = sorted(chance.choices(range(1, 4), k=len(players)))
    game = chance.choice(["toy", "other"])
    return result(number, *zip(players, ranks, strict=True), game=game)


MANY = [made_up(number) for number in range(60)]


@pytest.mark.whole
@given(st.permutations(MANY))
def test_the_order_of_results_makes_no_difference(shuffled: list[MatchResult]) -> None:
    """Results are ordered by the end of the game, then by the match's id."""
    assert ratings.fold(shuffled) == ratings.fold(MANY)


def test_the_order_of_the_ends_makes_a_difference() -> None:
    """The same results in another order give other ratings."""
    early, late = result(2, (ADA, 1), (BEN, 2)), result(8, (ADA, 2), (BEN, 1))
    swapped = [replace(early, place=late.place), replace(late, place=early.place)]
    assert ratings.fold([early, late]) != ratings.fold(swapped)


PLAYERS = [ADA, BEN, CLEO, DORA, GREEDY]


def weak_orders(players: int) -> Iterator[tuple[int, ...]]:
    """Yield the ranks of every possible result. Players may share ranks."""
    for groups in product(range(players), repeat=players):
        if set(groups) == set(range(max(groups) + 1)):
            yield tuple(1 + sum(other < one for other in groups) for one in groups)


def test_every_result_of_two_to_five_players_is_tried() -> None:
    """The numbers of results are the ordered Bell numbers."""
    assert [len(set(weak_orders(players))) for players in range(2, 6)] == [3, 13, 75, 541]


@pytest.mark.parametrize("players", range(2, 6))
def test_ratings_keep_the_order_of_a_result(players: int) -> None:
    """Of equal players the better placed is rated higher, and equal ranks give equal ratings."""
    for ranks in weak_orders(players):
        seats = list(zip(PLAYERS, ranks, strict=False))
        of_game = ratings.fold([result(0, *seats)])["toy"]
        for (one, rank), (other, other_rank) in permutations(seats, 2):
            if rank < other_rank:
                assert of_game[one].mean > of_game[other].mean, ranks
                assert of_game[one].ordinal > of_game[other].ordinal, ranks
            if rank == other_rank:
                assert of_game[one] == of_game[other], ranks


@given(st.data(), st.sampled_from([order for n in range(2, 6) for order in weak_orders(n)]))
def test_a_better_rank_never_lowers_a_rating(data: st.DataObject, ranks: tuple[int, ...]) -> None:
    """A better rank does not lower a rating, with random ratings before the match."""
    means, sigmas = st.integers(0, 50 * UNIT), st.integers(UNIT // 10, 9 * UNIT)
    players = PLAYERS[: len(ranks)]
    before = {one: Strength(data.draw(means), data.draw(sigmas), 5) for one in players}
    place = data.draw(st.integers(0, len(ranks) - 1))
    doubled = [2 * rank for rank in ranks]
    better = [*doubled[:place], doubled[place] - 1, *doubled[place + 1 :]]

    mine = players[place]
    worse_after = ratings.after(before, result(0, *zip(players, doubled, strict=True)))
    better_after = ratings.after(before, result(0, *zip(players, better, strict=True)))
    assert better_after[mine].mean >= worse_after[mine].mean


def published_ratings() -> list[tuple[str, list[str]]]:
    """Return the ranks and the ratings of the table in docs/guides/players.md."""
    text = Path("docs/guides/players.md").read_text(encoding="utf-8")
    rows = re.findall(r"^ *\| ([1-5](?:, [1-5])+) \| (.+) \|$", text, re.MULTILINE)
    return [(ranks, ratings_.split(", ")) for ranks, ratings_ in rows]


@pytest.mark.parametrize(("ranks", "expected"), published_ratings())
def test_published_ratings_are_reached(ranks: str, expected: list[str]) -> None:
    """The ratings published in the documentation are computed exactly."""
    seats = zip(PLAYERS, map(int, ranks.split(", ")), strict=False)
    of_game = ratings.fold([result(0, *seats)])["toy"]
    figures = [of_game[player] for player in PLAYERS[: len(expected)]]
    assert [f"{one.mean / UNIT:.6f} ± {one.sigma / UNIT:.6f}" for one in figures] == expected


def test_one_match_is_rated_as_the_paper_says() -> None:
    """Algorithm 1 of Weng and Lin (2011) for ranks 1, 1, 3, 4, with the parameters spelled out."""
    variance = (25 / 3) ** 2 + (25 / 300) ** 2
    c = math.sqrt(2 * variance + 2 * (25 / 6) ** 2)
    gained = {1: 0.0 + 0.5 + 0.5, 3: -0.5 - 0.5 + 0.5, 4: -1.5}
    delta = 3 * (math.sqrt(variance) / c) * (variance / c**2) / 4
    sigma = math.sqrt(variance * (1 - delta))

    seats = [(ADA, 1), (BEN, 1), (CLEO, 3), (DORA, 4)]
    of_game = ratings.fold([result(0, *seats)])["toy"]
    for player, rank in seats:
        mean = 25 + variance / c * gained[rank]
        assert of_game[player].mean == pytest.approx(UNIT * mean, abs=1)
        assert of_game[player].sigma == pytest.approx(UNIT * sigma, abs=1)


def test_the_version_of_the_model_is_exact() -> None:
    """Packages, lock files and the ladder name one version."""
    [pinned] = re.findall(r'"openskill==([0-9.]+)"', Path("pyproject.toml").read_text("utf-8"))
    assert f"openskill {pinned}" == ratings.MODEL_VERSION
    for name in ("requirements.lock", "requirements-dev.lock"):
        assert f"\nopenskill=={pinned} " in Path(name).read_text("utf-8")


def test_equal_ranks_of_equal_players_leave_them_equal() -> None:
    """A player who shares a rank with an equal gains and loses nothing, and is more certain."""
    ada, ben = ratings.fold([result(0, (ADA, 1), (BEN, 1))])["toy"].values()
    assert ada == ben
    assert ada.mean == BEGINNER.mean
    assert ada.sigma < BEGINNER.sigma


def test_of_several_bots_of_a_level_the_best_placed_counts() -> None:
    """Of several bots of one level only the best placed one counts."""
    twice = result(0, (GREEDY, 3), (ADA, 2), (GREEDY, 1))
    once = result(0, (GREEDY, 1), (ADA, 2))
    assert ratings.fold([twice]) == ratings.fold([once])


def test_games_have_ratings_of_their_own() -> None:
    """A match of one game changes no rating of another."""
    both = [result(0, (ADA, 1), (BEN, 2)), result(1, (ADA, 2), (BEN, 1), game="other")]
    assert ratings.fold(both)["toy"] == ratings.fold(both[:1])["toy"]


def test_equal_players_share_a_place_and_stand_by_their_keys() -> None:
    """The next place after two shared first ones is the third."""
    best, worst = Strength(30_000_000, 1_000_000, 3), Strength(20_000_000, 1_000_000, 3)
    listed = ratings.placed(ratings.in_order({CLEO: best, ADA: worst, BEN: best}))
    assert [(line["place"], line["player"]) for line in listed] == [(1, BEN), (1, CLEO), (3, ADA)]
    assert listed[0]["rating"]["ordinal"] == 27.0


@pytest.mark.parametrize(
    ("millionths", "text"),
    [
        (25_000_000, "25.0"),
        (8_333_333, "8.333"),
        (-1_500, "-0.002"),
        (499, "0.0"),
        (1_234_567, "1.235"),
    ],
)
def test_numbers_are_shown_with_three_decimals_at_the_most(millionths: int, text: str) -> None:
    """Numbers are rounded to thousandths, which every program writes in the same way."""
    assert str(ratings.thousandths(millionths)) == text
