"""The final cards and the winner (C41, C42)."""

import pytest

from domain.calimala import GAME
from domain.calimala.components import Building, Category
from domain.calimala.state import State
from domain.game import HOUSE, Outcome
from tests.domain.calimala.ending import last_turn, place_and_perform, score_all
from tests.domain.calimala.table import BRICK_ARTWORK, placing_refused, refused


def all_tiles_scored(seats: int = 3) -> State:
    """Return a table where play ends with the next turn and only final cards are to be scored."""
    state = last_turn(seats)
    state.scored = 15
    return state


# ---- final cards ---------------------------------------------------------------------------------


def test_every_final_card_brings_its_points() -> None:
    """C41: 5, 3 and 1 for the open card, Palazzo Vecchio, as for each kept one, all added up."""
    state = all_tiles_scored()
    state.artworks[Building.PALAZZO_VECCHIO] = (1, 3, 2)
    state.cloth[Category.BARCELONA] = (0, 1, 2)
    state.cloth[Category.LISBON] = (3, 1, 2)
    place_and_perform(state, 2)

    events = [event for scoring in score_all(state) for event in scoring]
    points = {event.category: event.points for event in events if event.tag == "final_card_scored"}

    assert points == {
        Category.PALAZZO_VECCHIO: (1, 5, 3),
        Category.BARCELONA: (0, 3, 5),
        Category.LISBON: (5, 1, 3),
        Category.LONDON: (0, 0, 0),
    }
    assert [player.points for player in state.players] == [6, 9, 11]


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
    state = all_tiles_scored()
    state.face_up = None
    for player, gained in zip(state.players, points, strict=True):
        player.points = gained
    state.council_seats = tuple(int(seat) for seat in seats)
    state.artworks[Building.PALAZZO_VECCHIO] = tuple(artworks)
    place_and_perform(state, 2)

    ended = score_all(state)[-1][-1]
    assert ended.points == tuple(points)
    assert ended.ranks == ranks
    assert GAME.outcome(state) == Outcome(tuple(points), ranks)


def test_nothing_can_be_done_after_the_end() -> None:
    """C42: the match is over for seats and for the house."""
    state = all_tiles_scored()
    place_and_perform(state, 2)
    score_all(state)
    for seat in (HOUSE, 0, 1, 2):
        assert GAME.legal_moves(state, seat) == []

    assert placing_refused(state, 0, BRICK_ARTWORK) == "C42 match_over"
    assert refused(state, "score") == "C42 match_over"
