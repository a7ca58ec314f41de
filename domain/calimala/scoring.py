"""Scoring by the house, tile by tile and card by card, and the result of a match (C38-C42)."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from domain.calimala import components as box
from domain.calimala.agenda import Scoring
from domain.calimala.events import FinalCardScored, FinalCardsRevealed, MatchEnded, TileScored
from domain.calimala.state import State, all_scored, kept_cards, next_tile, seats_held, standing
from domain.game import Draft, Outcome
from domain.kit import competition_ranks


def score(draft: Draft[State]) -> None:
    """Settle one tile, or one final card once all tiles are settled (C38, C41).

    After the last card the match ends.
    """
    state = draft.state
    if type(state.agenda[-1]) is Scoring or not all_scored(state):
        _score_tile(draft)
        return

    if not state.revealed:
        revealed = tuple(kept_cards(state))
        draft.emit(FinalCardsRevealed(revealed))

    cards = final_cards(state)
    next_card = cards[state.finals]
    _score_final_card(draft, next_card)

    if state.finals == len(cards):
        result = final_result(state)
        draft.emit(MatchEnded(result.points, result.ranks))


def _score_tile(draft: Draft[State]) -> None:
    tile = next_tile(draft.state)
    result = settle(draft.state, tile, box.PLACES)
    draft.emit(TileScored(tile, *result))


def _score_final_card(draft: Draft[State], card: box.Category) -> None:
    result = settle(draft.state, card, box.FINAL_PLACES)
    draft.emit(FinalCardScored(card, *result))


def final_cards(state: State) -> list[box.Category]:
    """Return the cards of the final scoring: the open one first, then by seat (C41)."""
    cards = kept_cards(state)
    return cards if state.face_up is None else [state.face_up, *cards]


def final_result(state: State) -> Outcome:
    """Return points and ranks: by points, then by seats and Palazzo Vecchio artworks (C42)."""
    points = _points(state)
    scores = [(gained, standing(state, seat)) for seat, gained in enumerate(points)]
    return Outcome(points, competition_ranks(scores))


def outcome(state: State) -> Outcome | None:
    """Return the outcome of an ended match, None before."""
    if not state.ranks:
        return None
    return Outcome(_points(state), tuple(state.ranks))


def _points(state: State) -> tuple[int, ...]:
    return tuple(player.points for player in state.players)


# ---- majorities and ties (C35-C37) ---------------------------------------------------------------


Count = Callable[[State], Sequence[int]]

_LATE = 99  # later than any artwork
_STEPS = tuple(box.Decider)  # the deciders in the order of their use


class Result(NamedTuple):
    """The result of one category.

    counts, points: by seat. order: the seats with cubes, best first.
    decided_by: the decider between each seat of the order and the next.
    """

    counts: tuple[int, ...]
    order: tuple[int, ...]
    decided_by: tuple[box.Decider, ...]
    points: tuple[int, ...]


def settle(state: State, category: box.Category, places: tuple[int, ...]) -> Result:
    """Return the result of a category (C36, C37). places: the points of each place, best first."""
    counts = counted(state, category)
    by_seat = zip(counts, rank_keys(state), strict=True)
    rank_of = [(-count, *tie_break) for count, tie_break in by_seat]

    order = [seat for seat, count in enumerate(counts) if count]
    order.sort(key=rank_of.__getitem__)

    decided_by = []
    for better, worse in pairwise(order):
        decided_by.append(_decider(rank_of[better], rank_of[worse]))

    return Result(
        counts=tuple(counts),
        order=tuple(order),
        decided_by=tuple(decided_by),
        points=_majority_points(len(counts), order, decided_by, places),
    )


def _decider(better: tuple[int, ...], worse: tuple[int, ...]) -> box.Decider:
    """Return the first decider with a difference between two seats, SHARED for none."""
    for step, one, other in zip(_STEPS, better, worse, strict=False):
        if one != other:
            return step
    return box.Decider.SHARED


def _majority_points(
    seats: int, order: Sequence[int], decided_by: Sequence[box.Decider], places: Sequence[int]
) -> tuple[int, ...]:
    """Return the points by seat (C36, C37).

    Seats that share places split the points of these places, rounded down.
    """
    no_points = [0] * len(order)
    worth = [*places, *no_points]
    points = [0] * seats
    first = 0

    for group in _groups(order, decided_by):
        last = first + len(group)
        shared = sum(worth[first:last])
        for seat in group:
            points[seat] = shared // len(group)
        first = last

    return tuple(points)


def _groups(order: Sequence[int], decided_by: Sequence[box.Decider]) -> list[Sequence[int]]:
    """Return the seats in their order, grouped by shared places."""
    deciders = enumerate(decided_by, 1)
    starts = [place for place, decider in deciders if decider is not box.Decider.SHARED]
    bounds = [0, *starts, len(order)]
    return [order[first:last] for first, last in pairwise(bounds)]


# ---- ties ----------------------------------------------------------------------------------------


def rank_keys(state: State) -> list[tuple[int, int, int, int]]:
    """Return the tie-break of each seat. The least is the best (C37).

    The four numbers of a tie-break: minus the sum of seats and Palazzo Vecchio artworks, minus the
    seats, the tile of the last seat, the place of the first such artwork. This place counts only
    for a player without seats.
    """
    return [_rank_key(state, seat) for seat in range(len(state.players))]


def _rank_key(state: State, seat: int) -> tuple[int, int, int, int]:
    total = standing(state, seat)
    seats = seats_held(state, seat)
    if seats:
        return -total, -seats, _last_seat_taken(state, seat), 0

    first_artwork = state.patrons.index(seat) if seat in state.patrons else _LATE
    return -total, 0, 0, first_artwork


def _last_seat_taken(state: State, seat: int) -> int:
    """Return the number, from 1, of the tile of the player's last seat. The player has a seat."""
    since_then = state.council_seats[::-1].index(seat)
    return len(state.council_seats) - since_then


# ---- counts by category --------------------------------------------------------------------------


def counted(state: State, category: box.Category) -> Sequence[int]:
    """Return each seat's cubes in the category (C35). For Palazzo Vecchio seats count too (C41)."""
    return _COUNTS[category](state)


def _in_city(city: int) -> Count:
    return lambda state: state.cloth[city]


def _in_cities(cities: slice) -> Count:
    return lambda state: _sums(state.cloth[cities])


def _at_building(building: int) -> Count:
    rows = box.ROWS_OF_BUILDING[building]
    return lambda state: _sums([*state.contributed[rows], state.artworks[building]])


def _of_resource(resource: int) -> Count:
    rows = box.ROWS_OF_RESOURCE[resource]
    return lambda state: _sums(state.contributed[rows])


def _artworks(state: State) -> list[int]:
    return _sums(state.artworks)


def _standings(state: State) -> list[int]:
    return [standing(state, seat) for seat in range(len(state.players))]


def _sums(heaps: Sequence[Sequence[int]]) -> list[int]:
    """Return the sums by seat of heaps of cubes by seat."""
    return list(map(sum, zip(*heaps, strict=True)))


_COUNTS: tuple[Count, ...] = (  # by Category
    *(_in_city(city) for city in box.CITIES),
    *(_at_building(building) for building in box.BUILDINGS_UNDER_CONSTRUCTION),
    _artworks,
    _in_cities(box.PORTS),
    _in_cities(box.TRADES),
    *(_of_resource(resource) for resource in box.RESOURCES),
    _standings,
)
assert len(_COUNTS) == len(box.CATEGORIES)
