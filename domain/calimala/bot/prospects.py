"""The points that each seat may expect at the end: a weighted sum of its features.

The weights are fitted on matches of bots (`python -m benchmarks.fitting calimala`), for three
moments of a match; docs/bots.md says how well they foretell the end.
"""

from collections.abc import Sequence
from functools import cache

from domain.calimala.bot.features import NAMES, features
from domain.calimala.bot.scorings import time_left
from domain.calimala.state import State
from domain.kit.tables import read_table

# The shares of its discs that a seat has left at the moments for which there are weights. Between
# two of them the weights change evenly.
MOMENTS = (0.0, 1 / 3, 1.0)

_LEAST_DOUBT = 2.3  # points, when all discs are placed
_MORE_DOUBT = 2.3  # points, before the first is


def prospects(state: State) -> list[float]:
    """Return the points that each seat may expect at the end, where a turn begins."""
    return [
        player.points + _to_come(numbers, time_left(state, player))
        for player, numbers in zip(state.players, features(state), strict=True)
    ]


def doubt(state: State) -> float:
    """Return how much the prospects leave open, in points: the more, the more discs are left."""
    times = [time_left(state, player) for player in state.players]
    return _LEAST_DOUBT + _MORE_DOUBT * max(times)


def shares_of_moments(time: float) -> list[float]:
    """Return how much each of the MOMENTS counts with so much time left; together 1."""
    shares = [0.0] * len(MOMENTS)
    later = 0 if time < MOMENTS[1] else 1
    earlier = later + 1
    share = (time - MOMENTS[later]) / (MOMENTS[earlier] - MOMENTS[later])
    shares[later] = 1 - share
    shares[earlier] = share
    return shares


def _to_come(numbers: Sequence[float], time: float) -> float:
    weighed = zip(_weights(time), numbers, strict=True)
    return sum([weight * number for weight, number in weighed])


@cache  # a seat has one disc less every turn, so there are few different times
def _weights(time: float) -> Sequence[float]:
    """Return the weights with so much time left, in the order of NAMES."""
    shares = shares_of_moments(time)
    return [
        sum([share * weight for share, weight in zip(shares, row, strict=True)]) for row in _FITTED
    ]


def _read_weights() -> list[list[float]]:
    """Return the weights by feature in the order of NAMES, then by moment."""
    rows = read_table(__package__, "prospects.json")
    return [rows[name] for name in NAMES]


_FITTED = _read_weights()
