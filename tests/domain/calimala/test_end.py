"""The end: the last discs, the last tiles, the final cards and the winner (C38-C42)."""

from typing import Any

import pytest

from domain.calimala import GAME
from domain.calimala.agenda import Turn
from domain.calimala.components import TILES, Building, Category
from domain.calimala.state import State
from domain.game import HOUSE
from tests.domain.calimala.pieces import discs
from tests.domain.calimala.table import BRICK_WOOD, WHITE, do, table, tags


def last_turn(seats: int = 3) -> State:
    """A table where the last seat has one coloured disc left and nobody else has any."""
    state = table(seats)
    for player in state.players:
        player.discs = player.whites = 0
    state.players[-1].discs = 1
    state.agenda = [Turn(seats - 1)]
    return state


def place(state: State, seat: int, *stack: int) -> list[Any]:
    """Let the seat place on brick-wood above the stack and carry its actions out, the others skip theirs."""
    state.streets[BRICK_WOOD] = list(stack)
    events = do(state, "place_disc", seat, street="0-3", disc="coloured")
    for owner in events[0].activates:
        for action in ("brick", "wood"):
            events = do(state, "perform" if owner == seat else "skip", owner, action=action)
    return events


def settle_all(state: State) -> list[Any]:
    events = []
    while GAME.actors(state) == (HOUSE,):
        events.append(do(state, "score"))
    return events


# ---- the last disc ---------------------------------------------------------------------------------------------------


def test_play_ends_when_all_discs_are_placed() -> None:
    """C39: after the last seat's last disc the house scores."""
    state = last_turn()
    assert tags(place(state, 2))[-1] == "play_ended"
    assert GAME.actors(state) == (HOUSE,)


def test_white_discs_are_discs() -> None:
    """C39: play goes on while white ones are left to place."""
    state = last_turn()
    for player in state.players:
        player.whites = 1
    assert tags(place(state, 2))[-1] == "activation_ended"
    assert GAME.actors(state) == (0,)


def test_unscored_tiles_are_scored_in_order_without_seats() -> None:
    """C39: one score each (C38), nobody takes a seat."""
    state = last_turn()
    state.scored, state.council_seats = 12, [1] * 12
    place(state, 2)
    for tile in TILES[12:]:
        (scored,) = do(state, "score")
        assert (scored.tag, scored.category) == ("tile_scored", tile)
    assert state.council_seats == [*[1] * 12, *[WHITE] * 3]


def test_a_fourth_disc_in_the_last_turn_takes_its_seat() -> None:
    """C39: it scores first, then play ends."""
    state = last_turn()
    assert tags(place(state, 2, 1, 0, 0))[-1] == "disc_promoted"
    assert state.council_seats == [1]
    assert tags(do(state, "score")) == ["tile_scored", "play_ended"]


# ---- the fifteenth tile ----------------------------------------------------------------------------------------------


def fifteenth(seat: int) -> State:
    """A table where the seat's fourth disc brings the fifteenth scoring; everybody has discs left."""
    state = table()
    state.scored, state.council_seats = 14, [WHITE] * 14
    state.agenda = [Turn(seat)]
    place(state, seat, 1, 2, 2)
    return state


def test_the_round_is_finished() -> None:
    """C40: seats 1 and 2 still place after seat 0 brought the fifteenth scoring."""
    state = fifteenth(0)
    assert tags(do(state, "score")) == ["tile_scored"]
    assert GAME.actors(state) == (1,)
    place(state, 1)
    assert GAME.actors(state) == (2,)
    assert tags(place(state, 2))[-1] == "play_ended"


def test_the_last_seats_fifteenth_scoring_ends_play_at_once() -> None:
    """C40: all have placed equally many discs."""
    state = fifteenth(2)
    assert tags(do(state, "score")) == ["tile_scored", "play_ended"]


@pytest.mark.parametrize(
    "bottom", [pytest.param(2, id="C40-coloured"), pytest.param(WHITE, id="C40-white")]
)
def test_later_fourth_discs_leave_the_game(bottom: int) -> None:
    """C40: no seat, no scoring, no exchange."""
    state = fifteenth(0)
    do(state, "score")
    total = discs(state) - len(state.streets[BRICK_WOOD]) + 3
    assert tags(place(state, 1, bottom, 0, 0))[-1] == "disc_removed"
    assert len(state.council_seats) == 15
    assert state.streets[BRICK_WOOD] == [0, 0, 1]
    assert discs(state) == total - 1
    assert GAME.actors(state) == (2,)


# ---- final cards -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "cards"),
    [
        pytest.param(3, [15, 0, 1, 2], id="C41-open-card-first"),
        pytest.param(5, [0, 1, 2, 3, 4], id="C41-no-open-card"),
    ],
)
def test_final_cards_are_revealed_and_scored_one_by_one(seats: int, cards: list[int]) -> None:
    """C41: revealed before the first is scored, for everybody, then by seat; the last one ends the match (C42)."""
    state = last_turn(seats)
    state.scored = 15
    place(state, seats - 1)
    events = settle_all(state)
    assert [tags(each) for each in events] == [
        ["final_cards_revealed", "final_card_scored"],
        *[["final_card_scored"]] * (len(cards) - 2),
        ["final_card_scored", "match_ended"],
    ]
    assert events[0][0].cards == tuple(Category(seat) for seat in range(seats))
    assert [each[tags(each).index("final_card_scored")].category for each in events] == cards
    assert GAME.actors(state) == ()


def test_a_final_card_scores_for_everybody() -> None:
    """C41: seat 0 kept Barcelona, where seat 1 has most."""
    state = last_turn()
    state.scored, state.face_up = 15, None
    state.cloth[Category.BARCELONA] = [1, 2, 0]
    place(state, 2)
    assert do(state, "score")[1].points == (3, 5, 0)


# ---- the winner ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "seats", "artworks", "ranks"),
    [
        pytest.param([10, 30, 20], "", [0, 0, 0], (3, 1, 2), id="C42-most-points"),
        pytest.param([30, 30, 20], "0", [0, 0, 0], (1, 2, 3), id="C42-seats"),
        pytest.param([30, 30, 20], "0", [0, 2, 4], (2, 1, 3), id="C42-seats-and-artworks"),
        pytest.param([30, 30, 20], "01", [0, 0, 0], (1, 1, 3), id="C42-shared-victory"),
        pytest.param([20, 30, 20], "", [0, 0, 0], (2, 1, 2), id="C42-shared-second"),
    ],
)
def test_the_winner(
    points: list[int], seats: str, artworks: list[int], ranks: tuple[int, ...]
) -> None:
    """C42: points, then seats and Palazzo Vecchio artworks together, then a shared victory."""
    state = last_turn()
    state.scored, state.face_up = 15, None
    for player, gained in zip(state.players, points, strict=True):
        player.points = gained
    state.council_seats = [int(seat) for seat in seats]
    state.artworks[Building.PALAZZO_VECCHIO] = artworks
    place(state, 2)
    ended = settle_all(state)[-1][-1]
    assert (ended.points, ended.ranks) == (tuple(points), ranks)
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert (outcome.points, outcome.ranks) == (tuple(points), ranks)


def test_nothing_can_be_done_after_the_end() -> None:
    """C42: the match is over for seats and for the house."""
    state = last_turn()
    state.scored = 15
    place(state, 2)
    settle_all(state)
    assert all(not GAME.legal_moves(state, seat) for seat in (HOUSE, 0, 1, 2))
