"""The box holds what the rulebooks list (C1-C10)."""

import pytest

from domain.calimala import GAME
from domain.calimala.components import (
    ACTIONS,
    ARTWORK_SLOTS,
    CARDS_OF_EACH_ACTION,
    CENTRE,
    CITY_ROOM,
    ENDS,
    FINAL_CARDS,
    FIRST_GAME,
    PORT_CITIES,
    ROW_SLOTS,
    STREETS,
    TILES,
    TRADE_CITIES,
    Action,
    Category,
)
from domain.calimala.state import initial
from domain.game import Setup
from tests.domain.calimala.table import do, legal, refused, table


def fresh(seats: int, layout: str = "random") -> Setup:
    return Setup(seats, {"edition": "english", "layout": layout})


COUNTS = [
    pytest.param(len(ACTIONS), 9, id="C2-actions"),
    pytest.param(len(STREETS), 12, id="C3-streets"),
    pytest.param(CARDS_OF_EACH_ACTION * len(ACTIONS), 45, id="C5-action-cards"),
    pytest.param(len(set(FINAL_CARDS)), 10, id="C5-final-cards"),
    pytest.param(len(set(TILES)), 15, id="C6-tiles"),
    pytest.param(CITY_ROOM, 12, id="C7-city-room"),
    pytest.param(
        [sum(ROW_SLOTS[i : i + 3]) for i in (0, 3, 6)], [15, 9, 12], id="C8-resource-slots"
    ),
    pytest.param(ROW_SLOTS, (5, 5, 5, 3, 3, 3, 4, 4, 4), id="C8-equal-rows"),
    pytest.param(ARTWORK_SLOTS, (5, 3, 4, 4), id="C8-artwork-slots"),
]


@pytest.mark.parametrize(("counted", "printed"), COUNTS)
def test_the_printed_numbers(counted: object, printed: object) -> None:
    """Each count is the one the rulebook gives."""
    assert counted == printed


@pytest.mark.parametrize(
    ("cities", "names"),
    [
        pytest.param(PORT_CITIES, ["barcelona", "lisbon", "london"], id="C7-ports"),
        pytest.param(TRADE_CITIES, ["troyes", "bruges", "hamburg"], id="C7-trade-cities"),
    ],
)
def test_the_cities(cities: tuple[Action, ...], names: list[str]) -> None:
    """Three cities lie at the sea, three take trade houses."""
    assert [city.wire for city in cities] == names


def test_the_sets_of_cards_and_tiles() -> None:
    """Palazzo Vecchio has a final card (C5) but no tile (C6); artworks and sums have tiles only."""
    assert set(FINAL_CARDS) - set(TILES) == {Category.PALAZZO_VECCHIO}
    assert {tile.wire for tile in set(TILES) - set(FINAL_CARDS)} == {
        *("artwork", "port_cities", "trade_cities"),
        *("contributed_wood", "contributed_brick", "contributed_marble"),
    }


@pytest.mark.parametrize(
    ("seats", "coloured", "white"),
    [
        pytest.param(3, 12, 3, id="C10-three"),
        pytest.param(4, 10, 2, id="C10-four"),
        pytest.param(5, 8, 2, id="C10-five"),
    ],
)
def test_a_player_starts_with(seats: int, coloured: int, white: int) -> None:
    """C9: 40 cubes, one empty workshop, nothing built; C10: discs by the number of players."""
    for player in initial(fresh(seats)).players:
        assert (player.discs, player.whites) == (coloured, white)
        assert (player.reserve, player.cloth, player.stock) == (40, [0], [0, 0, 0])
        assert (player.ships, player.houses) == (0, [0, 0, 0])


def test_players() -> None:
    """C1: three to five."""
    assert list(GAME.seats) == [3, 4, 5]


@pytest.mark.parametrize("seat", [pytest.param(-1, id="C1-below"), pytest.param(3, id="C1-above")])
def test_a_seat_must_exist(seat: int) -> None:
    """C1: nobody else may act."""
    assert refused(table(3), "place_disc", seat, street="0-1", disc="coloured") == "C1 no_such_seat"


def test_every_street_joins_neighbours_of_the_grid() -> None:
    """C3: 3x3 cells, orthogonal neighbours, each pair once, named by the cells with the lower first."""
    neighbours = {
        (a, b) for a in range(9) for b in range(a + 1, 9) if b - a == 3 or (b - a == 1 and b % 3)
    }
    assert set(ENDS) == neighbours
    assert [street.wire for street in STREETS] == [f"{a}-{b}" for a, b in ENDS]


def test_a_street_offers_the_two_actions_at_its_ends() -> None:
    """C3: a disc between brick and wood activates brick and wood."""
    state = table()
    do(state, "place_disc", 0, street="0-3", disc="coloured")
    assert [move["action"] for move in legal(state, 0, "perform")] == ["brick", "wood"]


@pytest.mark.parametrize("seed", range(5))
def test_tiles_are_shuffled_around_the_printed_centre(seed: int) -> None:
    """C3, C4: contribute stays in the middle, every tile lies once, and seeds differ."""
    grids = []
    for each in (seed, seed + 100):
        state = initial(fresh(3))
        do(state, "set_up", seed=each)
        assert state.grid[CENTRE] is Action.CONTRIBUTE
        assert sorted(state.grid) == list(ACTIONS)
        grids.append(state.grid)
    assert grids[0] != grids[1]


def test_the_first_game_layout() -> None:
    """C4: the fixed layout, with every pair that the rulebook's examples name."""
    state = initial(fresh(3, "first_game"))
    do(state, "set_up")
    assert tuple(state.grid) == FIRST_GAME
    pairs = {frozenset((FIRST_GAME[a].wire, FIRST_GAME[b].wire)) for a, b in ENDS}
    assert {
        frozenset(("build", "ship")),
        frozenset(("artwork", "ship")),
        frozenset(("wood", "contribute")),
    } <= pairs
