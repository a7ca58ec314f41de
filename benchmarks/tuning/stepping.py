"""Which way the numbers are moved: what seats have more for what they did otherwise."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.tuning.playing import Played

Array = NDArray[np.float64]


def slopes(matches: Sequence[Played]) -> tuple[Array, Array]:
    """Return how many points more a number brings for e times as much, and the standard errors.

    By least squares, over what each seat has ahead of the mean of the others, in its changes and in
    its points. The last seat of a match is left out, since what it has ahead follows from the
    others'. The errors hold for many more seats than numbers.
    """
    rows = np.concatenate([_ahead(np.array(match.changes)) for match in matches])
    leads = np.concatenate([_ahead(np.array(match.points, dtype=float)) for match in matches])

    inverse = np.linalg.inv(rows.T @ rows)
    found: Array = inverse @ rows.T @ leads
    left_open = leads - rows @ found
    errors: Array = np.sqrt(np.var(left_open) * np.diag(inverse))
    return found, errors


def step(found: Array, errors: Array, rate: float) -> Array:
    """Return by how much to move the numbers: the more, the surer their slopes are.

    Each slope is held as small as its error suggests, if all slopes are drawn around 0
    (empirical Bayes: Morris 1983).
    rate: how far a number is moved for a point that it brings.
    """
    of_slopes = max(0.0, float(np.mean(found**2) - np.mean(errors**2)))
    if not of_slopes:
        return np.zeros_like(found)
    moved: Array = rate * found * of_slopes / (of_slopes + errors**2)
    return moved


def _ahead(by_seat: Array) -> Array:
    """Return for all seats but the last what they have ahead of the mean of the others."""
    seats = len(by_seat)
    of_others = (by_seat.sum(axis=0) - by_seat) / (seats - 1)
    ahead: Array = (by_seat - of_others)[:-1]
    return ahead
