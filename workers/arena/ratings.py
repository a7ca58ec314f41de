"""Statistics of many results: shares of wins with their intervals, and ratings of the levels.

Ratings follow the model of Bradley and Terry over all pairs of seats of a match, updated by
openskill: R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online Ranking", Journal
of Machine Learning Research 12 (2011), 267-300. A level begins at 25 with an uncertainty of 25/3.

Intervals are after E. B. Wilson, "Probable inference, the law of succession, and statistical
inference", Journal of the American Statistical Association 22 (1927), 209-212.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

from openskill.models import BradleyTerryFull

from domain.games import GAMES
from workers.arena.fixtures import Contender, Pair, strength
from workers.arena.results import FixtureResult, ThinkingTime, together

Z_95 = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations

Group = TypeVar("Group")


# ---- ratings -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LevelRating:
    """The strength of a level, and its uncertainty: a standard deviation (sigma)."""

    value: float
    sigma: float


def rate(results: Iterable[FixtureResult]) -> dict[Contender, LevelRating]:
    """Return the ratings after some matches, rated in the given order.

    Matches without ranks are left out. Each seat of a match is a team of one. If a level has
    several seats in a match, it gets the mean of their new ratings.
    """
    model = BradleyTerryFull()
    ratings: dict[Contender, LevelRating] = {}
    for result in results:
        if result.ranks:
            ratings |= _after(model, ratings, result)
    return ratings


def _after(
    model: BradleyTerryFull, ratings: dict[Contender, LevelRating], result: FixtureResult
) -> dict[Contender, LevelRating]:
    """Return the ratings of a match's levels after the match."""
    levels = result.fixture.levels
    teams = []
    for level in levels:
        before = ratings.get(level)
        rated = model.rating() if before is None else model.rating(before.value, before.sigma)
        teams.append([rated])

    updated = model.rate(teams, ranks=[float(rank) for rank in result.ranks])

    after = {}
    for level in set(levels):
        by_seat = zip(updated, levels, strict=True)
        mine = [team[0] for team, seated in by_seat if seated == level]
        after[level] = LevelRating(
            value=fmean([one.mu for one in mine]),
            sigma=fmean([one.sigma for one in mine]),
        )
    return after


# ---- shares and their intervals ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Share:
    """A share over some matches, with its 95 % interval.

    value, low, high: 0 to 1.   matches: number of matches. Without matches, the interval is 0 to 1.
    """

    value: float
    low: float
    high: float
    matches: int


def wilson(value: float, trials: int, z: float = Z_95) -> tuple[float, float]:
    """Return Wilson's score interval of a share over a number of trials.

    value: the share, 0 to 1. It may count parts of trials, such as half a win.
    z: distance from the middle to either end, in standard deviations.
    Without trials the interval is (0, 1).
    """
    if trials == 0:
        return 0.0, 1.0

    spread = z * z / trials
    centre = value + spread / 2
    half_width = z * math.sqrt((value * (1 - value) + spread / 4) / trials)
    low = (centre - half_width) / (1 + spread)
    high = (centre + half_width) / (1 + spread)
    return max(0.0, min(low, value)), min(1.0, max(high, value))


def mean_share(shares: Sequence[float]) -> Share:
    """Return the mean share of some matches, with its interval.

    shares: the share in each match, 0 to 1, such as 0.5 for a tie. The interval assumes that
        each share is 0 or 1. Other shares with the same mean vary less, so for them the interval is
        rather too wide.
    """
    if not shares:
        return Share(0.5, 0.0, 1.0, 0)

    value = min(1.0, math.fsum(shares) / len(shares))
    low, high = wilson(value, len(shares))
    return Share(value, low, high, len(shares))


# ---- the counts of one match ---------------------------------------------------------------------


def pairings_won(result: FixtureResult) -> float:
    """Return the share of pairings won by the stronger level of the pair, 0 to 1.

    Each seat of one level makes a pairing with each seat of the other level. A better rank counts
    1, a shared rank 1/2.
    """
    fixture = result.fixture
    odd_rank = result.ranks[fixture.odd_seat]
    other_ranks = [rank for seat, rank in enumerate(result.ranks) if seat != fixture.odd_seat]
    won_by_odd = sum(_ahead(odd_rank, rank) for rank in other_ranks) / len(other_ranks)

    _weaker, stronger = fixture.pair
    return won_by_odd if fixture.odd_level == stronger else 1 - won_by_odd


def win_of_odd_seat(result: FixtureResult) -> float:
    """Return the win of the odd seat: 1/k if it is one of k seats on rank 1, else 0.

    The odd seat is the only seat of its level in the match.
    """
    if result.ranks[result.fixture.odd_seat] != 1:
        return 0.0
    return 1 / result.ranks.count(1)


def points_of(result: FixtureResult, level: Contender) -> float:
    """Return the mean points of the seats of a level."""
    by_seat = zip(result.points, result.fixture.levels, strict=True)
    return fmean([points for points, seated in by_seat if seated == level])


def _ahead(rank: int, other_rank: int) -> float:
    if rank == other_rank:
        return 0.5
    return 1.0 if rank < other_rank else 0.0


# ---- summaries -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSummary:
    """Two levels against each other at one number of seats.

    pairings: share of the pairings won by the stronger level.
    alone: for each level, the share of wins in matches with only one seat of the level.
    points: mean points of each level.
    In `alone` and `points` the weaker level comes first.
    """

    seats: int
    pair: Pair
    pairings: Share
    alone: tuple[Share, Share]
    points: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRatings:
    """The summary of one game.

    pairs: summaries, ordered by pair, then by number of seats.
    ratings: ratings over all numbers of seats, by level, best first.
    ratings_by_seats: ratings for each number of seats.
    times: thinking times by level, in the order of the ratings.
    unended: number of matches without an end by the rules. No other field counts these matches.
    """

    game: str
    pairs: Sequence[PairSummary]
    ratings: dict[Contender, LevelRating]
    ratings_by_seats: dict[int, dict[Contender, LevelRating]]
    times: dict[Contender, ThinkingTime]
    unended: int

    @property
    def title(self) -> str:
        """The game's name for people, or its key if this release does not have the game."""
        return GAMES[self.game].title if self.game in GAMES else self.game


def summaries(results: Iterable[FixtureResult]) -> list[GameRatings]:
    """Return a summary for each game that was played, in the order of the games' keys."""
    by_game = _grouped(results, lambda result: result.fixture.game)
    return [_game_summary(game, by_game[game]) for game in sorted(by_game)]


def _game_summary(game: str, results: Sequence[FixtureResult]) -> GameRatings:
    # Ratings depend on the order of the matches. Take the planned order, not the order of play.
    ended = sorted((result for result in results if result.ranks), key=_place)
    by_seats = _grouped(ended, lambda result: result.fixture.seats)
    by_pair = _grouped(ended, lambda result: (result.fixture.pair, result.fixture.seats))
    pairs = [_pair_summary(by_pair[group]) for group in sorted(by_pair, key=_place_of_pair)]

    ratings = rate(ended)
    best_first = sorted(ratings, key=lambda level: -ratings[level].value)
    return GameRatings(
        game=game,
        pairs=pairs,
        ratings={level: ratings[level] for level in best_first},
        ratings_by_seats={seats: rate(by_seats[seats]) for seats in sorted(by_seats)},
        times={level: _time_of(level, ended) for level in best_first},
        unended=len(results) - len(ended),
    )


def _pair_summary(results: Sequence[FixtureResult]) -> PairSummary:
    """Return the summary of results of one game, pair and number of seats."""
    fixture = results[0].fixture
    weaker, stronger = fixture.pair
    return PairSummary(
        seats=fixture.seats,
        pair=fixture.pair,
        pairings=mean_share([pairings_won(result) for result in results]),
        alone=(_alone(weaker, results), _alone(stronger, results)),
        points=(
            fmean([points_of(result, weaker) for result in results]),
            fmean([points_of(result, stronger) for result in results]),
        ),
    )


def _alone(level: Contender, results: Iterable[FixtureResult]) -> Share:
    """Return the share of wins of a level in the matches with only one seat of the level."""
    return mean_share([win_of_odd_seat(one) for one in results if one.fixture.odd_level == level])


def _time_of(level: Contender, results: Iterable[FixtureResult]) -> ThinkingTime:
    name = str(level)
    return together(result.times[name] for result in results if name in result.times)


def _grouped(
    results: Iterable[FixtureResult], group_of: Callable[[FixtureResult], Group]
) -> dict[Group, list[FixtureResult]]:
    groups: defaultdict[Group, list[FixtureResult]] = defaultdict(list)
    for result in results:
        groups[group_of(result)].append(result)
    return groups


def _place(result: FixtureResult) -> tuple[object, ...]:
    """Return the sort key of a match in the planned order."""
    fixture = result.fixture
    weaker, stronger = fixture.pair
    return fixture.number, fixture.game, fixture.seats, strength(weaker), strength(stronger)


def _place_of_pair(group: tuple[Pair, int]) -> tuple[object, ...]:
    (weaker, stronger), seats = group
    return strength(weaker), strength(stronger), seats
