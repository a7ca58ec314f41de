"""Majorities, ties, the end of play and the winner (C35-C37, C39-C42)."""

from typing import Any

import pytest

from domain.calimala.agenda import Turn
from domain.calimala.components import FINAL_PLACES, PLACES, TILES, Building, Category
from domain.calimala.scoring import counted, final_result, settle
from domain.calimala.state import State
from domain.game import Outcome
from tests.domain.calimala.table import (
    BRICK_ARTWORK,
    BRICK_WOOD,
    WHITE,
    do,
    perform,
    place,
    placing_refused,
    refused,
    skip,
    table,
    tags,
)


# ---- the last turns ------------------------------------------------------------------------------
def last_turn(seats: int = 3) -> State:
    """Return a table where the last seat has one coloured disc left and nobody else has any."""
    state = table(seats)
    for player in state.players:
        player.discs = 0
        player.whites = 0
    state.players[-1].discs = 1
    state.agenda = [Turn(seats - 1)]
    return state


def place_and_perform(state: State, seat: int, *stack: int) -> list[Any]:
    """Let the seat place on brick-wood above the stack and carry its actions out.

    All others skip theirs. Returns the events of the last of these moves.
    """
    state.streets[BRICK_WOOD] = stack
    (placed, *_) = place(state, seat, BRICK_WOOD)
    events: list[Any] = []
    for owner in placed.activates:
        use = perform if owner == seat else skip
        use(state, owner, "brick")
        events = use(state, owner, "wood")
    return events


# ---- what is counted -----------------------------------------------------------------------------


def with_different_heaps() -> State:
    """Return a table where every heap of seat 0 has its own size: no two sums are alike."""
    state = table()
    for city in range(6):
        state.cloth[city] = (1 << city, 0, 0)
    for row in range(9):
        state.contributed[row] = (1 << row, 0, 0)
    for building in range(4):
        state.artworks[building] = (1000 << building, 0, 0)
    return state


CATEGORIES = [
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
]


@pytest.mark.parametrize(("name", "count"), CATEGORIES)
def test_what_a_category_counts(name: str, count: int) -> None:
    """C35: each category its own cubes; C41: the town hall's card counts seats too."""
    state = with_different_heaps()
    state.council_seats = (0, 1, 0)
    category = Category[name.upper()]
    assert counted(state, category)[0] == count


# ---- who gets the points -------------------------------------------------------------------------


def lisbon(counts: list[int], seats: str = "", patrons: str = "") -> State:
    """Return a table with cloth in Lisbon as given.

    seats: the council seats in the order taken, "." for nobody. patrons: who gave artworks to
    Palazzo Vecchio, in order.
    """
    state = table(len(counts))
    state.cloth[Category.LISBON] = tuple(counts)
    state.council_seats = tuple(WHITE if seat == "." else int(seat) for seat in seats)
    state.patrons = tuple(int(patron) for patron in patrons)
    artworks = [state.patrons.count(seat) for seat in range(len(counts))]
    state.artworks[Building.PALAZZO_VECCHIO] = tuple(artworks)
    return state


def scoring(rule: str, counts: list[int], points: list[int], decided_by: str, **tie: str) -> Any:
    """Return a row of the table: cubes and points by seat, what decides, and what breaks ties."""
    state = lisbon(counts, **tie)
    return pytest.param(state, points, decided_by.split(), id=rule)


SCORINGS = [
    scoring("C36-three-two-one", [3, 1, 2], [3, 1, 2], "count count"),
    scoring("C36-fourth-gets-none", [1, 5, 2, 3], [0, 3, 1, 2], "count count count"),
    scoring("C36-none-without-cubes", [0, 4, 0], [0, 3, 0], ""),
    scoring("C36-nobody", [0, 0, 0], [0, 0, 0], "", seats="012"),
    scoring("C37-seat-against-nothing", [2, 2, 1], [2, 3, 1], "sum count", seats="1"),
    scoring("C37-sum-before-seats", [2, 2, 1], [3, 2, 1], "sum count", seats="11", patrons="000"),
    scoring(
        "C37-same-sum-more-seats", [2, 2, 1], [2, 3, 1], "seats count", seats="011", patrons="0"
    ),
    scoring("C37-first-to-one-seat", [2, 2, 1], [2, 3, 1], "first_to_seats count", seats="10"),
    scoring("C37-first-to-two-seats", [2, 2, 1], [2, 3, 1], "first_to_seats count", seats="0110"),
    scoring(
        "C37-empty-seats-are-nobodys", [2, 2, 1], [3, 2, 1], "first_to_seats count", seats=".0.1"
    ),
    scoring("C37-first-artwork", [2, 2, 1], [2, 3, 1], "first_artwork count", patrons="10"),
    scoring(
        "C37-the-very-first-artwork", [2, 2, 1], [3, 2, 1], "first_artwork count", patrons="0110"
    ),
    scoring(
        "C37-with-seats-artworks-do-not-matter",
        [2, 2, 1],
        [3, 2, 1],
        "first_to_seats count",
        seats="01",
        patrons="10",
    ),
    scoring("C37-two-share-first", [2, 2, 1], [2, 2, 1], "shared count"),
    scoring("C37-three-share-first", [2, 2, 2], [2, 2, 2], "shared shared"),
    scoring("C37-three-share-second", [5, 2, 2, 2], [3, 1, 1, 1], "count shared shared"),
    scoring("C37-two-share-second", [5, 2, 2], [3, 1, 1], "count shared"),
    scoring("C37-two-share-third", [5, 4, 2, 2], [3, 2, 0, 0], "count count shared"),
    scoring("C37-five-share-first", [2, 2, 2, 2, 2], [1] * 5, "shared shared shared shared"),
    scoring("C37-one-wins-the-others-share", [2, 2, 2], [1, 1, 3], "sum shared", seats="2"),
    scoring(
        "C37-each-pair-its-own-reason",
        [2, 2, 2, 1],
        [1, 2, 3, 0],
        "seats sum count",
        seats="2",
        patrons="1",
    ),
]


@pytest.mark.parametrize(("state", "points", "decided_by"), SCORINGS)
def test_the_first_three_score(state: State, points: list[int], decided_by: list[str]) -> None:
    """C36: 3, 2, 1 for most cubes; C37: ties one step after the other, until they share."""
    result = settle(state, Category.LISBON, PLACES)
    assert list(result.points) == points
    assert [decider.wire for decider in result.decided_by] == decided_by


FINAL_SCORINGS = [
    pytest.param([3, 1, 2], [5, 1, 3], id="C41-five-three-one"),
    pytest.param([2, 2, 1], [4, 4, 1], id="C41-two-share-first"),
    pytest.param([3, 1, 1], [5, 2, 2], id="C41-two-share-second"),
    pytest.param([1, 1, 1], [3, 3, 3], id="C41-three-share-first"),
]


@pytest.mark.parametrize(("counts", "points"), FINAL_SCORINGS)
def test_final_cards_score_more(counts: list[int], points: list[int]) -> None:
    """C41: 5, 3, 1, ties as ever (C37)."""
    result = settle(lisbon(counts), Category.LISBON, FINAL_PLACES)
    assert list(result.points) == points


# ---- the last disc -------------------------------------------------------------------------------


def test_unscored_tiles_are_scored_in_order_without_seats() -> None:
    """C39: one score each (C38), nobody takes a seat."""
    state = last_turn()
    state.scored = 12
    state.council_seats = (1,) * 12
    place_and_perform(state, 2)

    for tile in TILES[12:]:
        (scored,) = do(state, "score")
        assert scored.tag == "tile_scored"
        assert scored.category is tile

    assert state.council_seats == (*[1] * 12, *[WHITE] * 3)


# ---- the fifteenth tile --------------------------------------------------------------------------


def before_the_fifteenth_scoring(seat: int) -> State:
    """Return a table where the seat's fourth disc has brought the fifteenth scoring.

    Everybody has discs left.
    """
    state = table()
    state.scored = 14
    state.council_seats = (WHITE,) * 14
    state.agenda = [Turn(seat)]
    place_and_perform(state, seat, 1, 2, 2)
    return state


def test_the_last_seats_fifteenth_scoring_ends_play_at_once() -> None:
    """C40: all have placed equally many discs."""
    state = before_the_fifteenth_scoring(2)
    assert tags(do(state, "score")) == ["tile_scored", "play_ended"]


# ---- the winner ----------------------------------------------------------------------------------

WINNERS = [
    pytest.param([10, 30, 20], "", [0, 0, 0], (3, 1, 2), id="C42-most-points"),
    pytest.param([30, 30, 20], "0", [0, 0, 0], (1, 2, 3), id="C42-seats"),
    pytest.param([30, 30, 20], "0", [0, 2, 4], (2, 1, 3), id="C42-seats-and-artworks"),
    pytest.param([30, 30, 20], "01", [0, 0, 0], (1, 1, 3), id="C42-shared-victory"),
    pytest.param([20, 30, 20], "", [0, 0, 0], (2, 1, 2), id="C42-shared-second"),
]


@pytest.mark.parametrize(("points", "seats", "artworks", "ranks"), WINNERS)
def test_the_winner(
    points: list[int], seats: str, artworks: list[int], ranks: tuple[int, ...]
) -> None:
    """C42: points, then seats and Palazzo Vecchio artworks together, then a shared victory."""
    state = table()
    for player, gained in zip(state.players, points, strict=True):
        player.points = gained
    state.council_seats = tuple(int(seat) for seat in seats)
    state.artworks[Building.PALAZZO_VECCHIO] = tuple(artworks)

    assert final_result(state) == Outcome(tuple(points), ranks)


def test_nothing_can_be_done_after_the_end() -> None:
    """C42: the match is over for seats and for the house."""
    state = table()
    state.agenda = []
    assert placing_refused(state, 0, BRICK_ARTWORK) == "C42 match_over"
    assert refused(state, "score") == "C42 match_over"
