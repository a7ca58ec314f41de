"""What many results say: of each pair at each number of seats, and of each level in each game."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

from domain.games import GAMES
from workers.arena.counting import pairings_won, points_of, win_of_odd_seat
from workers.arena.intervals import Share, mean_share
from workers.arena.levels import Level, Pair, strength
from workers.arena.ratings import Rating, rate
from workers.arena.results import Result
from workers.arena.thinking_time import ThinkingTime, together

Group = TypeVar("Group")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSummary:
    """Two levels against each other at one number of seats.

    pairings: the share of them that the stronger level has won.   alone: for each level, weaker
    first, the share of wins of its one seat against all others.   points: the mean of each level,
    weaker first.
    """

    seats: int
    pair: Pair
    pairings: Share
    alone: tuple[Share, Share]
    points: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSummary:
    """All that is said of one game.

    pairs: by pair, then by seats.   ratings: over all seats, by level, best first.
    ratings_by_seats: the same for one number of seats.   times: by level, in the same order.
    unended: how many matches came to no end by the rules; nothing above counts them.
    """

    game: str
    pairs: Sequence[PairSummary]
    ratings: dict[Level, Rating]
    ratings_by_seats: dict[int, dict[Level, Rating]]
    times: dict[Level, ThinkingTime]
    unended: int

    @property
    def title(self) -> str:
        """The game's name for people; its key if there is no such game any more."""
        return GAMES[self.game].title if self.game in GAMES else self.game


def summaries(results: Iterable[Result]) -> list[GameSummary]:
    """Return a summary for each game that was played, in the order of their names."""
    by_game = _grouped(results, lambda result: result.fixture.game)
    return [_game_summary(game, by_game[game]) for game in sorted(by_game)]


def _game_summary(game: str, results: Sequence[Result]) -> GameSummary:
    # In the order of the matches, whenever they were played.
    ended = sorted((result for result in results if result.ranks), key=_place)
    by_seats = _grouped(ended, lambda result: result.fixture.seats)
    by_pair = _grouped(ended, lambda result: (result.fixture.pair, result.fixture.seats))
    pairs = [_pair_summary(by_pair[group]) for group in sorted(by_pair, key=_place_of_pair)]

    ratings = rate(ended)
    best_first = sorted(ratings, key=lambda level: -ratings[level].value)
    return GameSummary(
        game=game,
        pairs=pairs,
        ratings={level: ratings[level] for level in best_first},
        ratings_by_seats={seats: rate(by_seats[seats]) for seats in sorted(by_seats)},
        times={level: _time_of(level, ended) for level in best_first},
        unended=len(results) - len(ended),
    )


def _pair_summary(results: Sequence[Result]) -> PairSummary:
    """Return the summary of results that are of one game, pair and number of seats."""
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


def _alone(level: Level, results: Iterable[Result]) -> Share:
    """Return the share of wins of a level in the matches in which it holds one seat alone."""
    return mean_share([win_of_odd_seat(one) for one in results if one.fixture.odd_level == level])


def _time_of(level: Level, results: Iterable[Result]) -> ThinkingTime:
    name = str(level)
    return together(result.times[name] for result in results if name in result.times)


def _grouped(
    results: Iterable[Result], group_of: Callable[[Result], Group]
) -> dict[Group, list[Result]]:
    groups: defaultdict[Group, list[Result]] = defaultdict(list)
    for result in results:
        groups[group_of(result)].append(result)
    return groups


def _place(result: Result) -> tuple[object, ...]:
    """Return what orders matches: as they are planned."""
    fixture = result.fixture
    weaker, stronger = fixture.pair
    return fixture.number, fixture.game, fixture.seats, strength(weaker), strength(stronger)


def _place_of_pair(group: tuple[Pair, int]) -> tuple[object, ...]:
    (weaker, stronger), seats = group
    return strength(weaker), strength(stronger), seats
