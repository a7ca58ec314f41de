"""Ponte's own rules, each by its number (examples/ponte/rules.md)."""

from typing import Any

import pytest

from domain import wire
from domain.chance import Draws
from domain.errors import RuleBroken
from domain.game import Outcome, Setup, decide, fold
from examples.ponte import GAME
from examples.ponte.agenda import Turn
from examples.ponte.commands import Begin, Lay
from examples.ponte.components import Bank
from examples.ponte.events import BridgeFinished, RowBegun, StoneDrawn, StoneLaid
from examples.ponte.state import State, index_of, no_stones


def table(*hands: tuple[int, ...], ends: tuple[int, int] = (4, 7)) -> State:
    """Return a table with an empty yard, on which each seat holds these stones; seat 0 is to act.

    ends: the last stone of the left and of the right row.
    """
    state = GAME.initial(Setup(len(hands), GAME.read_options({})))
    state.agenda = [Turn(0)]
    state.yard = pile()
    state.rows = [[end] for end in ends]

    for player, hand in zip(state.players, hands, strict=True):
        player.hand = pile(*hand)
    return state


def pile(*stones: int) -> list[int]:
    """Return a pile of these stones, as the state counts them."""
    counts = no_stones()
    for stone in stones:
        counts[index_of(stone)] += 1
    return counts


def after(state: State, *commands: Any) -> State:
    """Return the state after some commands."""
    for command in commands:
        events = decide(GAME, state, command, Draws(b"a seed"))
        state = fold(GAME, state.copy(), events)
    return state


def refused(state: State, command: Any) -> tuple[str, str]:
    """Return the code and the rule with which a command is refused."""
    with pytest.raises(RuleBroken) as refusal:
        decide(GAME, state, command, Draws(b""))
    return refusal.value.code, refusal.value.rule


def test_p5_rows_begin_openly_and_hands_are_secret() -> None:
    """Everybody sees the first stones; a hand of the size that was chosen is its seat's alone."""
    start = GAME.initial(Setup(4, GAME.read_options({"hand": 5})))
    events = decide(GAME, start, Begin(), Draws(b""))

    left, right, first_drawn, *_rest = events
    assert isinstance(left, RowBegun)
    assert isinstance(right, RowBegun)
    assert wire.redact(left, None) == left
    assert wire.redact(first_drawn, 1) == StoneDrawn(0, None)

    state = fold(GAME, start, events)
    public = GAME.view(state, None)
    assert public["rows"] == {"left": [left.stone], "right": [right.stone]}
    assert public["players"][2] == {"points": 0, "hand_size": 5}
    assert "own" not in public

    own = GAME.view(state, 2)["own"]
    assert pile(*own["hand"]) == state.players[2].hand


@pytest.mark.parametrize(
    ("stone", "points"),
    [
        pytest.param(3, 3, id="P7-one-step-down"),
        pytest.param(5, 3, id="P7-one-step-up"),
        pytest.param(2, 2, id="P7-two-steps-down"),
        pytest.param(6, 2, id="P7-two-steps-up"),
        pytest.param(4, 1, id="P7-level"),
        pytest.param(1, 0, id="P7-three-steps"),
        pytest.param(8, 0, id="P7-four-steps"),
    ],
)
def test_a_stone_brings_points_by_its_steps(stone: int, points: int) -> None:
    """The last stone of the left row has the height 4."""
    state = after(table((stone, 1), (1,)), Lay(0, stone, Bank.LEFT))
    assert state.players[0].points == points
    assert state.rows == [[4, stone], [7]]


def test_p8_a_stone_is_drawn_as_long_as_there_is_one() -> None:
    """One stone is left in the yard: seat 0 draws it, seat 1 draws nothing."""
    state = table((3, 3), (8, 8))
    state.yard = pile(5)

    laid_first = decide(GAME, state, Lay(0, 3, Bank.LEFT), Draws(b""))
    assert laid_first == [
        StoneLaid(0, 3, Bank.LEFT, points=3),
        StoneDrawn(0, 5),
    ]

    state = fold(GAME, state, laid_first)
    laid_second = decide(GAME, state, Lay(1, 8, Bank.RIGHT), Draws(b""))
    assert laid_second == [StoneLaid(1, 8, Bank.RIGHT, points=3)]


def test_p9_the_keystone_brings_two_points_more() -> None:
    """Seat 1 lays the last stone."""
    state = after(table((3,), (1,)), Lay(0, 3, Bank.LEFT))
    events = decide(GAME, state, Lay(1, 1, Bank.RIGHT), Draws(b""))

    assert events[-1] == BridgeFinished(1, points=(3, 2), ranks=(1, 2))
    ended = fold(GAME, state, events)
    assert GAME.outcome(ended) == Outcome(points=(3, 2), ranks=(1, 2))


def test_p10_equal_points_share_the_rank() -> None:
    """Three points for a step; one for a level stone and two for the keystone."""
    state = after(table((3,), (7,)), Lay(0, 3, Bank.LEFT), Lay(1, 7, Bank.RIGHT))
    assert state.ranks == [1, 1]


def test_p10_nothing_is_done_after_the_end() -> None:
    """Nobody is awaited, and a move is refused."""
    ended = after(table((3,), (7,)), Lay(0, 3, Bank.LEFT), Lay(1, 7, Bank.RIGHT))
    assert GAME.actors(ended) == ()
    assert refused(ended, Lay(0, 3, Bank.LEFT)) == ("match_over", "P10")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        pytest.param(Lay(2, 3, Bank.LEFT), ("no_such_seat", "P1"), id="P1-seat"),
        pytest.param(Begin(), ("house_not_awaited", "P5"), id="P5-house"),
        pytest.param(Lay(1, 1, Bank.LEFT), ("not_your_turn", "P6"), id="P6-turn"),
        pytest.param(Lay(0, 1, Bank.LEFT), ("stone_not_in_hand", "P6"), id="P6-stone"),
        pytest.param(Lay(0, 9, Bank.LEFT), ("stone_not_in_hand", "P6"), id="P6-no-such-stone"),
    ],
)
def test_what_is_not_allowed_names_its_rule(command: Any, why: tuple[str, str]) -> None:
    """Each refusal has the code and the number that the rules page has."""
    assert refused(table((3,), (1,)), command) == why


def test_p5_nobody_acts_before_the_house_has_dealt() -> None:
    """The house must begin."""
    start = GAME.initial(Setup(2, GAME.read_options({})))
    assert refused(start, Lay(0, 3, Bank.LEFT)) == ("house_must_act", "P5")
