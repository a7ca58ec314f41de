"""What a single match counts for the statistics."""

from statistics import fmean

from workers.arena.levels import Level
from workers.arena.results import Result


def pairings_won(result: Result) -> float:
    """Return the share of pairings that the stronger level of the pair has won, 0 to 1.

    Each seat of one level is a pairing with each seat of the other: to be ahead counts 1, to share
    a rank counts 1/2.
    """
    fixture = result.fixture
    odd_rank = result.ranks[fixture.odd_seat]
    other_ranks = [rank for seat, rank in enumerate(result.ranks) if seat != fixture.odd_seat]
    won_by_odd = sum(_ahead(odd_rank, rank) for rank in other_ranks) / len(other_ranks)

    _weaker, stronger = fixture.pair
    return won_by_odd if fixture.odd_level == stronger else 1 - won_by_odd


def win_of_odd_seat(result: Result) -> float:
    """Return the part of the win that the seat that is held alone has: 1/k if k seats share it."""
    if result.ranks[result.fixture.odd_seat] != 1:
        return 0.0
    return 1 / result.ranks.count(1)


def points_of(result: Result, level: Level) -> float:
    """Return the mean points of the seats of a level."""
    by_seat = zip(result.points, result.fixture.levels, strict=True)
    return fmean([points for points, seated in by_seat if seated == level])


def _ahead(rank: int, other_rank: int) -> float:
    if rank == other_rank:
        return 0.5
    return 1.0 if rank < other_rank else 0.0
