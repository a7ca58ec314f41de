"""Majorities: what is counted, who gets the points, how ties are broken (C35-C37)."""

from typing import Any

import pytest

from domain.calimala.components import FINAL_PLACES, PLACES, Building, Category
from domain.calimala.majorities import counted, settle
from domain.calimala.state import State
from tests.domain.calimala.table import table

NOBODY = -1


def decorated() -> State:
    """A table where every heap of seat 0 has its own size, so that no two sums can be confused."""
    state = table()
    for city in range(6):
        state.cloth[city][0] = 1 << city
    for row in range(9):
        state.contributed[row][0] = 1 << row
    for building in range(4):
        state.artworks[building][0] = 1000 << building
    return state


@pytest.mark.parametrize(
    ("category", "count"),
    [
        pytest.param("barcelona", 1, id="C35-barcelona"),
        pytest.param("lisbon", 2, id="C35-lisbon"),
        pytest.param("london", 4, id="C35-london"),
        pytest.param("troyes", 8, id="C35-troyes"),
        pytest.param("bruges", 16, id="C35-bruges"),
        pytest.param("hamburg", 32, id="C35-hamburg"),
        pytest.param("santa_maria_del_fiore", 1 + 2 + 4 + 1000, id="C35-santa-maria"),
        pytest.param("san_miniato", 8 + 16 + 32 + 2000, id="C35-san-miniato"),
        pytest.param("santa_croce", 64 + 128 + 256 + 4000, id="C35-santa-croce"),
        pytest.param("artwork", 15000, id="C35-artwork-at-all-four"),
        pytest.param("port_cities", 1 + 2 + 4, id="C35-ports"),
        pytest.param("trade_cities", 8 + 16 + 32, id="C35-trade-cities"),
        pytest.param("contributed_wood", 1 + 8 + 64, id="C35-wood"),
        pytest.param("contributed_brick", 2 + 16 + 128, id="C35-brick"),
        pytest.param("contributed_marble", 4 + 32 + 256, id="C35-marble-without-artworks"),
        pytest.param("palazzo_vecchio", 8000 + 2, id="C41-seats-and-artworks"),
    ],
)
def test_what_a_category_counts(category: str, count: int) -> None:
    """C35: each category its own cubes; C41: the town hall's card counts seats too."""
    state = decorated()
    state.council_seats = [0, 1, 0]
    assert counted(state, Category[category.upper()])[0] == count


def lisbon(counts: list[int], seats: str = "", patrons: str = "") -> State:
    """A table with cloth in Lisbon, council seats in the order taken ("." for nobody) and artworks as given."""
    state = table(len(counts))
    state.cloth[Category.LISBON] = counts
    state.council_seats = [NOBODY if seat == "." else int(seat) for seat in seats]
    state.patrons = [int(patron) for patron in patrons]
    state.artworks[Building.PALAZZO_VECCHIO] = [
        state.patrons.count(seat) for seat in range(len(counts))
    ]
    return state


SCORINGS: list[Any] = [
    pytest.param([3, 1, 2], "", "", [3, 1, 2], "count count", id="C36-three-two-one"),
    pytest.param(
        [1, 5, 2, 3], "", "", [0, 3, 1, 2], "count count count", id="C36-fourth-gets-none"
    ),
    pytest.param([0, 4, 0], "", "", [0, 3, 0], "", id="C36-none-without-cubes"),
    pytest.param([0, 0, 0], "012", "", [0, 0, 0], "", id="C36-nobody"),
    pytest.param([2, 2, 1], "1", "", [2, 3, 1], "sum count", id="C37-seat-against-nothing"),
    pytest.param([2, 2, 1], "11", "000", [3, 2, 1], "sum count", id="C37-sum-before-seats"),
    pytest.param([2, 2, 1], "011", "0", [2, 3, 1], "seats count", id="C37-same-sum-more-seats"),
    pytest.param(
        [2, 2, 1], "10", "", [2, 3, 1], "first_to_seats count", id="C37-first-to-one-seat"
    ),
    pytest.param(
        [2, 2, 1], "0110", "", [2, 3, 1], "first_to_seats count", id="C37-first-to-two-seats"
    ),
    pytest.param(
        [2, 2, 1], ".0.1", "", [3, 2, 1], "first_to_seats count", id="C37-empty-seats-are-nobodys"
    ),
    pytest.param([2, 2, 1], "", "10", [2, 3, 1], "first_artwork count", id="C37-first-artwork"),
    pytest.param(
        [2, 2, 1], "", "0110", [3, 2, 1], "first_artwork count", id="C37-the-very-first-artwork"
    ),
    pytest.param(
        [2, 2, 1],
        "01",
        "10",
        [3, 2, 1],
        "first_to_seats count",
        id="C37-with-seats-artworks-do-not-matter",
    ),
    pytest.param([2, 2, 1], "", "", [2, 2, 1], "shared count", id="C37-two-share-first"),
    pytest.param([2, 2, 2], "", "", [2, 2, 2], "shared shared", id="C37-three-share-first"),
    pytest.param(
        [5, 2, 2, 2], "", "", [3, 1, 1, 1], "count shared shared", id="C37-three-share-second"
    ),
    pytest.param([5, 2, 2], "", "", [3, 1, 1], "count shared", id="C37-two-share-second"),
    pytest.param(
        [5, 4, 2, 2], "", "", [3, 2, 0, 0], "count count shared", id="C37-two-share-third"
    ),
    pytest.param([2, 2, 2, 2, 2], "", "", [1] * 5, "shared " * 4, id="C37-five-share-first"),
    pytest.param([2, 2, 2], "2", "", [1, 1, 3], "sum shared", id="C37-one-wins-the-others-share"),
    pytest.param(
        [2, 2, 2, 1], "2", "1", [1, 2, 3, 0], "seats sum count", id="C37-each-pair-its-own-reason"
    ),
]


@pytest.mark.parametrize(("counts", "seats", "patrons", "points", "why"), SCORINGS)
def test_the_first_three_score(
    counts: list[int], seats: str, patrons: str, points: list[int], why: str
) -> None:
    """C36: 3, 2, 1 for most cubes; C37: ties one step after the other, until at last they share."""
    result = settle(lisbon(counts, seats, patrons), Category.LISBON, PLACES)
    assert list(result.points) == points
    assert [decider.wire for decider in result.decided_by] == why.split()
    assert list(result.counts) == counts
    assert sorted(result.order) == [seat for seat, count in enumerate(counts) if count]


@pytest.mark.parametrize(
    ("counts", "points"),
    [
        pytest.param([3, 1, 2], [5, 1, 3], id="C41-five-three-one"),
        pytest.param([2, 2, 1], [4, 4, 1], id="C41-two-share-first"),
        pytest.param([3, 1, 1], [5, 2, 2], id="C41-two-share-second"),
        pytest.param([1, 1, 1], [3, 3, 3], id="C41-three-share-first"),
    ],
)
def test_final_cards_score_more(counts: list[int], points: list[int]) -> None:
    """C41: 5, 3, 1, ties as ever (C37)."""
    assert list(settle(lisbon(counts), Category.LISBON, FINAL_PLACES).points) == points
