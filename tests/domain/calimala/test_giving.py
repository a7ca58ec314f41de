"""Giving artworks and contributions to the buildings (C25, C29)."""

import pytest

from domain.calimala import GAME
from domain.calimala.components import PLACES, Building, Category, Decider, Resource, row_of
from domain.calimala.scoring import settle
from tests.domain.calimala.acting import STREET_OF, activating, compensable, legal_ways, why_refused
from tests.domain.calimala.table import activate, give, perform

# ---- artwork -------------------------------------------------------------------------------------

BUILDINGS = [pytest.param(building, id=f"C25-{building.wire}") for building in Building]


@pytest.mark.parametrize("building", BUILDINGS)
def test_an_artwork_is_given(building: Building) -> None:
    """C25: one marble from the warehouse to a slot at any of the four buildings."""
    state = activating("artwork")
    give(state, 1, marble=1)
    perform(state, 1, "artwork", building=building.wire)

    assert state.artworks[building] == (0, 1, 0)
    assert state.players[1].stock == [0, 0, 0]
    assert compensable(state, "artwork")


@pytest.mark.parametrize("building", BUILDINGS)
def test_palazzo_vecchio_remembers_its_patrons(building: Building) -> None:
    """C37: who gave an artwork there, and nowhere else, is noted."""
    state = activating("artwork")
    give(state, 1, marble=1)
    perform(state, 1, "artwork", building=building.wire)

    noted = building is Building.PALAZZO_VECCHIO
    assert state.patrons == ((1,) if noted else ())


def test_patrons_are_noted_in_the_order_of_their_artworks() -> None:
    """C37: the last to give is the last, so that the first artwork can break ties."""
    state = activating("artwork")
    for seat in (2, 0, 1):
        activate(state, seat, STREET_OF["artwork"])
        give(state, seat, marble=1)
        perform(state, seat, "artwork", building="palazzo_vecchio")

    assert state.patrons == (2, 0, 1)
    assert GAME.view(state, None)["palazzo_patrons"] == [2, 0, 1]

    state.cloth[Category.LISBON] = (1, 1, 1)
    tied = settle(state, Category.LISBON, PLACES)
    assert tied.order == (2, 0, 1)
    assert tied.decided_by == (Decider.FIRST_ARTWORK, Decider.FIRST_ARTWORK)


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


def test_the_three_buildings_under_construction_take_contributions() -> None:
    """C29: not Palazzo Vecchio."""
    state = activating("contribute")
    give(state, 1, brick=1)
    buildings = [way["building"] for way in legal_ways(state, "contribute")]
    assert buildings == ["santa_maria_del_fiore", "san_miniato", "santa_croce"]


def test_a_contribution_fills_a_slot_of_its_resource() -> None:
    """C29: one cube from its warehouse to its row of the building."""
    state = activating("contribute")
    give(state, 1, brick=1)
    perform(state, 1, "contribute", resource="brick", building="san_miniato")

    assert [row[1] for row in state.contributed] == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert state.row_room == [5, 5, 5, 3, 2, 3, 4, 4, 4]
    assert state.players[1].stock == [0, 0, 0]


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
