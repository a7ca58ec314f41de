"""The grid of actions and the streets between them (C3, C4)."""

import pytest

from domain.calimala.components import ACTIONS, CENTRE, ENDS, FIRST_GAME, Action
from tests.domain.calimala.table import do, fresh


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
