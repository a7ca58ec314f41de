"""The end, and how long a match may last (F40, F45)."""

from typing import Any

import pytest

from domain.errors import BadOption
from domain.firenze import GAME
from domain.firenze.agenda import Step
from domain.firenze.components import Card, End
from domain.firenze.events import CardSpent, EndTileTaken, PlayEnded, RowShortened
from domain.firenze.state import State
from domain.seats import HOUSE
from tests.domain.firenze.table import RED, do, only, raise_tower, set_step, table, tags

# ---- the end (F40, F45) ----------------------------------------------------------------------


def last_seals(seats: int, *, left: int = 1) -> State:
    """Seat 1 is to fulfil with a red tower of 5 levels and has so many seals left."""
    state = table(seats, "fulfil")
    do(state, "end_turn")
    raise_tower(state, 1, RED, 5)
    set_step(state, "fulfil", seat=1)
    state.players[1].seals = left
    return state


def fulfil(state: State) -> list[Any]:
    """Let seat 1 deliver its red tower."""
    return do(state, "fulfil", 1, tower=0, colour="red", height=5)


def play_turn(state: State, seat: int) -> list[Any]:
    """Take the free card, whatever it is, and end the turn."""
    do(state, "take_card", seat, slot=0)
    while state.agenda[-1].step in (Step.ANSWER, Step.RESOLVE):
        GAME.evolve(state, CardSpent(seat, state.taken or Card.BOTCH))
        GAME.evolve(state, RowShortened())
    return do(state, "end_turn", seat)


@pytest.mark.parametrize(
    ("seats", "followers"),
    [
        pytest.param(2, [0], id="F40-two"),
        pytest.param(3, [2, 0], id="F40-three"),
        pytest.param(4, [2, 3, 0], id="F40-four"),
    ],
)
def test_the_last_seal_ends_the_match(seats: int, followers: list[int]) -> None:
    """5 points and the end tile; the holder finishes the turn, all others have one more."""
    state = last_seals(seats)
    assert only(fulfil(state), EndTileTaken).points == 5
    assert state.players[1].points == 5 + 2 + 5

    events = do(state, "end_turn", 1)
    for seat in followers:
        assert GAME.actors(state) == (seat,)
        events = play_turn(state, seat)

    assert only(events, PlayEnded).reason is End.LAST_SEAL
    assert GAME.actors(state) == (HOUSE,)


def test_a_later_last_seal_brings_no_bonus() -> None:
    """F40: others may place their last seal too, without the 5 points."""
    state = last_seals(2)
    state.end_seat = 0
    assert tags(fulfil(state)) == ["commission_fulfilled"]


def test_the_turn_limit() -> None:
    """F45: after so many turns of every player the match goes to the final scoring."""
    state = table(3, turn_limit=10)
    state.turn = 28
    state.active = 1
    set_step(state, "fulfil", seat=1)
    assert tags(do(state, "end_turn", 1)) == ["turn_began"]

    events = play_turn(state, 2)
    assert only(events, PlayEnded).reason is End.TURN_LIMIT


def test_last_turns_once_begun_are_played_out() -> None:
    """F45: the end tile taken in the very last turn still gives the others their turn."""
    state = last_seals(2)
    state.turn = 2 * state.turn_limit - 1
    fulfil(state)
    assert tags(do(state, "end_turn", 1)) == ["turn_began"]
    assert only(play_turn(state, 0), PlayEnded).reason is End.LAST_SEAL


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(9, id="F45-least"),
        pytest.param(501, id="F45-most"),
        pytest.param(True, id="F45-number"),
    ],
)
def test_the_turn_limit_has_bounds(limit: Any) -> None:
    """10 to 500 turns a player."""
    with pytest.raises(BadOption, match="from 10 to 500"):
        GAME.read_options({"turn_limit": limit})
