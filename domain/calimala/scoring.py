"""Majorities, ties and the outcome (C35-C42)."""

from itertools import pairwise
from typing import NamedTuple

from domain.calimala.components import Category, Decider
from domain.calimala.state import State, seats_held, standing
from domain.game import Outcome

_LATE = 99  # later than any seat and any artwork
_STEPS = tuple(Decider)


class Result(NamedTuple):
    """How one category comes out.

    counts, points: by seat. order: the seats with cubes, best first. decided_by: what put each of them above the next.
    """

    counts: tuple[int, ...]
    order: tuple[int, ...]
    decided_by: tuple[Decider, ...]
    points: tuple[int, ...]


def counted(state: State, category: Category) -> list[int]:
    """Return each seat's cubes in the category (C35); for Palazzo Vecchio seats count too (C41)."""
    if category < Category.SANTA_MARIA_DEL_FIORE:
        return state.cloth[category]
    if category <= Category.SANTA_CROCE:
        row = 3 * (category - Category.SANTA_MARIA_DEL_FIORE)
        return _sums(*state.contributed[row : row + 3], state.artworks[row // 3])
    if category >= Category.CONTRIBUTED_WOOD and category != Category.PALAZZO_VECCHIO:
        return _sums(*state.contributed[category - Category.CONTRIBUTED_WOOD :: 3])
    if category is Category.PALAZZO_VECCHIO:
        return [standing(state, seat) for seat in range(len(state.players))]
    if category is Category.ARTWORK:
        return _sums(*state.artworks)
    return _sums(*(state.cloth[:3] if category is Category.PORT_CITIES else state.cloth[3:]))


def _sums(*rows: list[int]) -> list[int]:
    return [sum(cubes) for cubes in zip(*rows, strict=True)]


def rank_keys(state: State) -> list[tuple[int, int, int, int]]:
    """Return what breaks ties for each seat, least is best: sum, seats, first to those seats, first artwork (C37)."""
    return [_key(state, seat) for seat in range(len(state.players))]


def _key(state: State, seat: int) -> tuple[int, int, int, int]:
    held = seats_held(state, seat)
    if held:
        last = len(state.council_seats) - state.council_seats[::-1].index(seat)
        return -standing(state, seat), -held, last, 0
    patrons = state.patrons
    return -standing(state, seat), 0, 0, patrons.index(seat) if seat in patrons else _LATE


def settle(state: State, category: Category, places: tuple[int, ...]) -> Result:
    """Return who gets the points of the places (C36) when ties are broken, or shared, as C37 says."""
    counts = counted(state, category)
    keys = rank_keys(state)
    order = sorted(
        (seat for seat, count in enumerate(counts) if count),
        key=lambda seat: (-counts[seat], keys[seat]),
    )
    decided = tuple(
        _decider((-counts[one], *keys[one]), (-counts[other], *keys[other]))
        for one, other in pairwise(order)
    )
    return Result(
        tuple(counts), tuple(order), decided, _points(len(counts), order, decided, places)
    )


def _decider(one: tuple[int, ...], other: tuple[int, ...]) -> Decider:
    return next(
        (step for step, a, b in zip(_STEPS, one, other, strict=False) if a != b), Decider.SHARED
    )


def _points(
    seats: int, order: list[int], decided: tuple[Decider, ...], places: tuple[int, ...]
) -> tuple[int, ...]:
    """Give each place its points; those who share split the points of the places they cover, rounded down (C37)."""
    worth = [*places, *[0] * len(order)]
    points = [0] * seats
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or decided[end - 1] is not Decider.SHARED:
            for seat in order[start:end]:
                points[seat] = sum(worth[start:end]) // (end - start)
            start = end
    return tuple(points)


def next_tile(state: State) -> Category:
    """Return the tile that is settled next, in council order (C31, C39)."""
    return state.council[state.scored]


def final_cards(state: State) -> list[Category]:
    """Return the cards of the final scoring: the open one first, then by seat (C41)."""
    kept = [player.kept for player in state.players]
    return [card for card in (state.face_up, *kept) if card is not None]


def final_result(state: State) -> Outcome:
    """Rank by points, then by seats and Palazzo Vecchio artworks; what is still tied is shared (C42)."""
    keys = [(player.points, standing(state, seat)) for seat, player in enumerate(state.players)]
    ranks = tuple(1 + sum(other > key for other in keys) for key in keys)
    return Outcome(tuple(player.points for player in state.players), ranks)


def outcome(state: State) -> Outcome | None:
    """Return the outcome once the match has ended."""
    if not state.ranks:
        return None
    return Outcome(tuple(player.points for player in state.players), tuple(state.ranks))
