"""Giving artworks and contributions to the buildings (C25, C29)."""

import pytest

from domain.calimala.components import Building, Resource, row_of
from tests.domain.calimala.acting import activating, compensable, legal_ways, why_refused
from tests.domain.calimala.table import give

# ---- artwork -------------------------------------------------------------------------------------


def test_artworks_need_free_slots() -> None:
    """C25, C8: a full building takes none."""
    state = activating("artwork")
    give(state, 1, marble=1)
    state.artwork_room = [0, 0, 1, 0]
    assert legal_ways(state, "artwork") == [{"building": "santa_croce"}]
    assert why_refused(state, "artwork", building="palazzo_vecchio") == "C25 no_such_way"


def test_no_slot_for_artworks_anywhere() -> None:
    """C25: with all four buildings full it is impossible."""
    state = activating("artwork")
    give(state, 1, marble=1)
    state.artwork_room = [0, 0, 0, 0]
    assert why_refused(state, "artwork", building="santa_croce") == "C25 action_impossible"
    assert compensable(state, "artwork")


# ---- contribute ----------------------------------------------------------------------------------


MISFITS = [
    pytest.param("wood", "san_miniato", id="C29-row-full"),
    pytest.param("marble", "san_miniato", id="C29-no-cube"),
    pytest.param("brick", "palazzo_vecchio", id="C29-no-slots-there"),
]


@pytest.mark.parametrize(("resource", "building"), MISFITS)
def test_a_contribution_must_fit(resource: str, building: str) -> None:
    """C29: the warehouse holds the cube, and the building has a free slot of that resource."""
    state = activating("contribute")
    give(state, 1, wood=1, brick=1)
    full_row = row_of(Building.SAN_MINIATO, Resource.WOOD)
    state.row_room[full_row] = 0

    why = why_refused(state, "contribute", resource=resource, building=building)
    assert why == "C29 no_such_way"


def test_no_cube_fits() -> None:
    """C29: wood in the warehouse, but every row of wood is full: impossible."""
    state = activating("contribute")
    give(state, 1, wood=4)
    state.row_room = [0, 5, 5, 0, 3, 3, 0, 4, 4]
    assert compensable(state, "contribute")
