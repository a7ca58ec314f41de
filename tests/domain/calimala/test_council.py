"""The fourth disc takes a seat in the council, and the house scores (C31, C38)."""

from domain.calimala import GAME
from domain.calimala.components import Category
from domain.game import HOUSE
from tests.domain.calimala.table import (
    BRICK_ARTWORK,
    BRICK_WOOD,
    WHITE,
    do,
    place_above,
    placing_refused,
    refused,
    table,
    tags,
)


def test_the_bottom_disc_takes_a_seat() -> None:
    """C31: after the activations, on the next tile, which is scored now."""
    state = table()
    state.council_seats = (WHITE,)
    state.scored = 1
    *_, ended, promoted = place_above(state, 2, 1, 1)
    assert tags([ended, promoted]) == ["activation_ended", "disc_promoted"]
    assert promoted.seat == 2
    assert promoted.tile is Category.LISBON
    assert state.streets[BRICK_WOOD] == (1, 1, 0)
    assert list(state.council_seats) == [WHITE, 2]

    (scored,) = do(state, "score")
    assert scored.category is Category.LISBON
    assert GAME.actors(state) == (1,)


def test_nobody_moves_while_the_house_must_score() -> None:
    """C38: from the disc's arrival until the scoring is recorded."""
    state = table()
    place_above(state, 2, 1, 1)
    assert GAME.actors(state) == (HOUSE,)
    assert tags(GAME.legal_moves(state, HOUSE)) == ["score"]
    for seat in range(3):
        assert placing_refused(state, seat, BRICK_ARTWORK) == "C38 house_must_act"


def test_one_score_settles_one_tile() -> None:
    """C38: the house scores when it must, and at no other time."""
    state = table()
    assert refused(state, "score") == "C38 house_not_awaited"

    place_above(state, 2, 1, 1)
    assert tags(do(state, "score")) == ["tile_scored"]
    assert refused(state, "score") == "C38 house_not_awaited"
