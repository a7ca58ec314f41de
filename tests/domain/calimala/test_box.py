"""The box holds what the rulebooks list, and the grid of actions (C1-C10)."""

from collections.abc import Sequence

import pytest

from domain.calimala import GAME
from domain.calimala.components import (
    ACTIONS,
    ARTWORK_SLOTS,
    CARDS_OF_EACH_ACTION,
    CITY_ROOM,
    FINAL_CARDS,
    FIRST_GAME,
    PORT_CITIES,
    ROW_SLOTS,
    ROWS_OF_BUILDING,
    STREETS,
    TILES,
    TRADE_CITIES,
    City,
)
from tests.domain.calimala.table import BRICK_ARTWORK, do, fresh, placing_refused, table

SLOTS_OF_BUILDINGS = [sum(ROW_SLOTS[rows]) for rows in ROWS_OF_BUILDING]

COUNTS = [
    pytest.param(len(ACTIONS), 9, id="C2-actions"),
    pytest.param(len(STREETS), 12, id="C3-streets"),
    pytest.param(CARDS_OF_EACH_ACTION * len(ACTIONS), 45, id="C5-action-cards"),
    pytest.param(len(set(FINAL_CARDS)), 10, id="C5-final-cards"),
    pytest.param(len(set(TILES)), 15, id="C6-tiles"),
    pytest.param(CITY_ROOM, 12, id="C7-city-room"),
    pytest.param(SLOTS_OF_BUILDINGS, [15, 9, 12], id="C8-resource-slots"),
    pytest.param(ROW_SLOTS, (5, 5, 5, 3, 3, 3, 4, 4, 4), id="C8-equal-rows"),
    pytest.param(ARTWORK_SLOTS, (5, 3, 4, 4), id="C8-artwork-slots"),
]


@pytest.mark.parametrize(("counted", "printed"), COUNTS)
def test_the_printed_numbers(counted: object, printed: object) -> None:
    """Each count is the one the rulebook gives."""
    assert counted == printed


CITIES = [
    pytest.param(PORT_CITIES, ["barcelona", "lisbon", "london"], id="C7-ports"),
    pytest.param(TRADE_CITIES, ["troyes", "bruges", "hamburg"], id="C7-trade-cities"),
]


@pytest.mark.parametrize(("cities", "names"), CITIES)
def test_the_cities(cities: Sequence[City], names: list[str]) -> None:
    """Three cities lie at the sea, three take trade houses."""
    assert [city.wire for city in cities] == names


DISCS = [
    pytest.param(3, 12, 3, id="C10-three"),
    pytest.param(4, 10, 2, id="C10-four"),
    pytest.param(5, 8, 2, id="C10-five"),
]


@pytest.mark.parametrize(("seats", "coloured", "white"), DISCS)
def test_a_player_starts_with(seats: int, coloured: int, white: int) -> None:
    """C9: 40 cubes, one empty workshop, nothing built; C10: discs by the number of players."""
    for player in fresh(seats).players:
        assert player.discs == coloured
        assert player.whites == white
        assert player.reserve == 40
        assert player.cloth == (0,)
        assert player.stock == [0, 0, 0]
        assert player.ships == 0
        assert player.houses == [0, 0, 0]


def test_players() -> None:
    """C1: three to five."""
    assert list(GAME.seats) == [3, 4, 5]


@pytest.mark.parametrize("seat", [pytest.param(-1, id="C1-below"), pytest.param(3, id="C1-above")])
def test_a_seat_must_exist(seat: int) -> None:
    """C1: nobody else may act."""
    assert placing_refused(table(3), seat, BRICK_ARTWORK) == "C1 no_such_seat"


# ---- the grid (C4) -------------------------------------------------------------------------------


def test_the_first_game_layout() -> None:
    """C4: the grid is not shuffled."""
    state = fresh(3, "first_game")
    do(state, "set_up")
    assert tuple(state.grid) == FIRST_GAME
