"""The points that each seat may expect at the end: a weighted sum of its features.

The weights are fitted on matches of bots that play greedily by the tuned weights (`python -m
benchmarks.fitting firenze`), for each number of seats; docs/bots.md says how well they foretell the
end.
"""

from domain.firenze.bot.features import NAMES, features, sure_points
from domain.firenze.components import SEATS
from domain.firenze.state import State
from domain.kit.tables import read_table

_LEAST_DOUBT = 5.0  # points, when a seat has used its last seal
_DOUBT_A_SEAL = 0.6  # for each seal that the first to finish still has, up to _MOST_SEALS
_MOST_SEALS = 4


def prospects(state: State) -> list[float]:
    """Return the points that each seat may expect at the end, where a turn begins."""
    seats = range(len(state.players))
    weights = _WEIGHTS[len(state.players)]
    return [_expected(state, seat, weights) for seat in seats]


def _expected(state: State, seat: int, weights: list[float]) -> float:
    weighed = zip(weights, features(state, seat), strict=True)
    to_come = sum([weight * feature for weight, feature in weighed])
    return sure_points(state.players[seat]) + to_come


def doubt(state: State) -> float:
    """Return how much the prospects leave open, in points: less when the end is near."""
    fewest = min([player.seals for player in state.players])
    return _LEAST_DOUBT + _DOUBT_A_SEAL * min(fewest, _MOST_SEALS)


def _read_weights() -> dict[int, list[float]]:
    """Return the weights by number of seats, in the order of NAMES."""
    rows = read_table(__package__, "prospects.json")
    columns = zip(*[rows[name] for name in NAMES], strict=True)
    return {seats: list(column) for seats, column in zip(SEATS, columns, strict=True)}


_WEIGHTS = _read_weights()
