"""The end of play: the last discs and the last tiles (C39, C40)."""

import pytest

from domain.calimala import GAME
from domain.calimala.agenda import Turn
from domain.calimala.components import TILES
from domain.calimala.state import State
from tests.domain.calimala.ending import last_turn, place_and_perform
from tests.domain.calimala.pieces import discs
from tests.domain.calimala.table import BRICK_WOOD, WHITE, do, table, tags

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


BOTTOMS = [pytest.param(2, id="C40-coloured"), pytest.param(WHITE, id="C40-white")]


@pytest.mark.parametrize("bottom", BOTTOMS)
def test_later_fourth_discs_leave_the_game(bottom: int) -> None:
    """C40: no seat, no scoring, no exchange."""
    state = before_the_fifteenth_scoring(0)
    do(state, "score")
    state.streets[BRICK_WOOD] = (bottom, 0, 0)
    before = discs(state)

    events = place_and_perform(state, 1, bottom, 0, 0)
    assert tags(events)[-1] == "disc_removed"
    assert len(state.council_seats) == 15
    assert state.streets[BRICK_WOOD] == (0, 0, 1)
    assert discs(state) == before - 1
    assert GAME.actors(state) == (2,)
