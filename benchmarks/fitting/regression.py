"""The weights that foretell matches best, and how well they do."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.fitting.playing import Numbers, Played

RIDGE = 100.0
DIGITS = 3
DOUBTS = np.arange(1.0, 20.0, 0.1)  # points, that are tried

_LEAST_CHANCE = 1e-12  # of a seat that has won


def fit(matches: Sequence[Played]) -> Numbers:
    """Return the weights, features x columns, by least squares held small.

    What is foretold is what each seat gains on the mean of the others from a turn to the end. So
    nothing is fitted that comes to all seats alike.
    """
    numbers = matches[0].features.shape[2] * matches[0].shares.shape[2]
    squares = RIDGE * np.eye(numbers)
    products = np.zeros(numbers)
    for match in matches:
        rows = _ahead(_rows(match)).reshape(-1, numbers)
        squares += rows.T @ rows
        products += rows.T @ _gains(match).ravel()

    weights = np.linalg.solve(squares, products)
    columns: Numbers = np.round(weights, DIGITS).reshape(-1, matches[0].shares.shape[2])
    return columns


def expected_points(match: Played, weights: Numbers) -> Numbers:
    """Return the points that each seat may expect at the end, turns x seats."""
    expected: Numbers = match.sure + _rows(match) @ weights.ravel()
    return expected


class Quality(NamedTuple):
    """How well weights foretell matches.

    explained: the part of the variance of final leads (R squared); in a lead, a seat is compared
    with the mean of the others. error: of these leads in points, the root of the mean square.
    winners: how often the seat with the best prospects wins, and `ahead`, the one with the most
    points so far.
    """

    explained: float
    error: float
    winners: float
    ahead: float


def quality(matches: Sequence[Played], weights: Numbers) -> Quality:
    """Return how well the weights foretell these matches."""
    leads = np.concatenate([_final_leads(match).ravel() for match in matches])
    expected = [expected_points(match, weights) for match in matches]
    errors = leads - np.concatenate([_ahead(each).ravel() for each in expected])

    foretold = [_foretold(match, each) for match, each in zip(matches, expected, strict=True)]
    leading = [_foretold(match, match.sure) for match in matches]
    return Quality(
        explained=1 - float(np.var(errors) / np.var(leads)),
        error=float(np.sqrt(np.mean(errors**2))),
        winners=float(np.concatenate(foretold).mean()),
        ahead=float(np.concatenate(leading).mean()),
    )


def best_doubt(matches: Sequence[Played], weights: Numbers, low: float, high: float) -> float:
    """Return the doubt by which win chances foretell the winners best (most likelihood).

    Of all turns whose doubt, as the game has it, lies from `low` up to and without `high`.
    """
    leads = []
    wins = []
    for match in matches:
        counted = (match.doubts >= low) & (match.doubts < high)
        expected = expected_points(match, weights)[counted]
        leads.append(expected - expected.max(axis=1, keepdims=True))
        wins.append(np.broadcast_to(_wins(match), expected.shape))

    surprises = [_surprise(leads, wins, doubt) for doubt in DOUBTS]
    return float(DOUBTS[np.argmin(surprises)])


def _surprise(leads: list[Numbers], wins: list[Numbers], doubt: float) -> float:
    """Return how unlikely the winners were, by chances that this doubt gives; the less the better.

    leads: turns x seats, for each match. wins: the share that each seat had in the win.
    """
    total = 0.0
    for lead, won in zip(leads, wins, strict=True):
        weights = np.exp(lead / doubt)
        chances = weights / weights.sum(axis=1, keepdims=True)
        total -= float(np.sum(won * np.log(chances + _LEAST_CHANCE)))
    return total


def _rows(match: Played) -> Numbers:
    """Return every feature as much as each column counts, turns x seats x (features * columns)."""
    turns, seats, _features = match.features.shape
    products = match.features[:, :, :, None] * match.shares[:, :, None, :]
    rows: Numbers = products.reshape(turns, seats, -1)
    return rows


def _gains(match: Played) -> Numbers:
    return _ahead(match.final - match.sure)


def _final_leads(match: Played) -> Numbers:
    return _ahead(np.broadcast_to(match.final, match.sure.shape))


def _ahead(by_seat: Numbers) -> Numbers:
    """Return by how much each seat is ahead of the mean of the others; turns x seats (x ...)."""
    seats = by_seat.shape[1]
    of_others = (by_seat.sum(axis=1, keepdims=True) - by_seat) / (seats - 1)
    ahead: Numbers = by_seat - of_others
    return ahead


def _wins(match: Played) -> Numbers:
    """Return the share of each seat in the win; by points alone, ties shared."""
    best = match.final == match.final.max()
    shares: Numbers = best / best.sum()
    return shares


def _foretold(match: Played, values: Numbers) -> Numbers:
    """Return by turn whether the seat with the highest value won: 1 or 0."""
    best = values.argmax(axis=1)
    won: Numbers = (match.final[best] == match.final.max()).astype(float)
    return won
