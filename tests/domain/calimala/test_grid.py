"""The grid of actions and the streets between them (C3, C4)."""

import pytest

from domain.calimala.components import ACTIONS, CENTRE, ENDS, FIRST_GAME, STREETS, Action
from tests.domain.calimala.table import BRICK_WOOD, actions_of, do, fresh, legal, place, table


def neighbours(cell: int) -> set[int]:
    """Return the cells right of and below a cell of the 3x3 grid."""
    row, column = divmod(cell, 3)
    found = set()
    if column < 2:
        found.add(cell + 1)
    if row < 2:
        found.add(cell + 3)
    return found


def test_every_street_joins_neighbours_of_the_grid() -> None:
    """C3: 3x3 cells, orthogonal neighbours, each pair once."""
    pairs = {(cell, other) for cell in range(9) for other in neighbours(cell)}
    assert set(ENDS) == pairs
    assert len(ENDS) == len(pairs)


def test_streets_are_named_by_their_cells() -> None:
    """C3: the lower cell comes first."""
    assert [street.wire for street in STREETS] == [f"{low}-{high}" for low, high in ENDS]


def test_a_street_offers_the_two_actions_at_its_ends() -> None:
    """C3: a disc between brick and wood activates brick and wood."""
    state = table()
    place(state, 0, BRICK_WOOD)
    assert actions_of(legal(state, 0, "perform")) == ["brick", "wood"]


def shuffled_grid(seed: int) -> tuple[Action, ...]:
    """Return the grid of a match that was set up with this seed."""
    state = fresh(3)
    do(state, "set_up", seed=seed)
    return state.grid


@pytest.mark.parametrize("seed", range(5))
def test_tiles_are_shuffled_around_the_printed_centre(seed: int) -> None:
    """C3, C4: contribute stays in the middle, every tile lies once, and seeds differ."""
    grid = shuffled_grid(seed)
    another = shuffled_grid(seed + 100)

    for each in (grid, another):
        assert each[CENTRE] is Action.CONTRIBUTE
        assert sorted(each) == list(ACTIONS)

    assert grid != another


def test_the_first_game_layout() -> None:
    """C4: the grid is not shuffled."""
    state = fresh(3, "first_game")
    do(state, "set_up")
    assert tuple(state.grid) == FIRST_GAME


EXAMPLES = [
    pytest.param({Action.BUILD, Action.SHIP}, id="C4-build-ship"),
    pytest.param({Action.ARTWORK, Action.SHIP}, id="C4-artwork-ship"),
    pytest.param({Action.WOOD, Action.CONTRIBUTE}, id="C4-wood-contribute"),
]


@pytest.mark.parametrize("pair", EXAMPLES)
def test_the_first_game_has_the_streets_of_the_examples(pair: set[Action]) -> None:
    """C4: the rulebook's examples name streets that join these actions."""
    joined = [{FIRST_GAME[low], FIRST_GAME[high]} for low, high in ENDS]
    assert pair in joined
