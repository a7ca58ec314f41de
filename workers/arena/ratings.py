"""Ratings of the levels, by the model of Plackett and Luce as openskill updates it.

R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online Ranking", Journal of Machine
Learning Research 12 (2011), 267-300. Who begins is rated 25 with an uncertainty of 25/3.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from workers.arena.levels import Level
from workers.arena.results import Result

if TYPE_CHECKING:
    from openskill.models import PlackettLuce


@dataclass(frozen=True, slots=True)
class Rating:
    """How good a level is, and how uncertain that is: one standard deviation."""

    value: float
    sigma: float


def rate(results: Iterable[Result]) -> dict[Level, Rating]:
    """Return the ratings after matches, which count in the order in which they are handed over.

    Every seat of a match is a team of one. A level that holds several seats gets the mean of what
    each of them would get.
    """
    from openskill.models import PlackettLuce  # belongs to the extra "arena"

    model = PlackettLuce()
    ratings: dict[Level, Rating] = {}
    for result in results:
        if result.ranks:
            ratings |= _after(model, ratings, result)
    return ratings


def _after(
    model: "PlackettLuce", ratings: dict[Level, Rating], result: Result
) -> dict[Level, Rating]:
    """Return the ratings of the levels in a match after it."""
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
        after[level] = Rating(
            value=fmean([one.mu for one in mine]),
            sigma=fmean([one.sigma for one in mine]),
        )
    return after
