"""What each command demands and causes: it is checked, then its events are emitted."""

from collections.abc import Callable
from typing import Any

from domain.chance import pick
from domain.errors import RuleBroken
from domain.game import Draft
from domain.kit import one_for_each
from examples.ponte import commands
from examples.ponte.components import BANKS, HEIGHTS
from examples.ponte.events import BuildingBegun, RowBegun, StoneDrawn, StoneLaid
from examples.ponte.refusals import expect_opening, expect_turn
from examples.ponte.scoring import finish, points_for
from examples.ponte.state import State, stones_in


def play(draft: Draft[State], command: Any) -> None:
    """Emit what a command causes, up to the next choice; raises RuleBroken."""
    _PLAY[type(command)](draft, command)


def _begin(draft: Draft[State], command: commands.Begin) -> None:
    """The first stones are laid and the hands are dealt (P5)."""
    state = draft.state
    expect_opening(state, command)
    for bank in BANKS:
        stone = _stone_of_the_yard(draft)
        draft.emit(RowBegun(bank, stone))

    for seat in range(len(state.players)):
        for _ in range(state.hand_size):
            _draw(draft, seat)
    draft.emit(BuildingBegun())


def _lay(draft: Draft[State], command: commands.Lay) -> None:
    """A stone is laid and counted, and another one is drawn (P6-P9)."""
    state = draft.state
    expect_turn(state, command)
    _check_stone(state, command)

    last_stone = state.rows[command.bank][-1]
    draft.emit(
        StoneLaid(
            seat=command.seat,
            stone=command.stone,
            bank=command.bank,
            points=points_for(command.stone, last_stone),
        )
    )
    if any(state.yard):
        _draw(draft, command.seat)

    nobody_has_stones = not any(any(player.hand) for player in state.players)
    if nobody_has_stones:
        finish(draft, command.seat)


def _check_stone(state: State, command: commands.Lay) -> None:
    """Raise RuleBroken unless the seat holds the stone (P6)."""
    stones = stones_in(state.players[command.seat].hand)
    if command.stone not in stones:
        heights = ", ".join(map(str, stones))
        detail = f"You may lay a stone of your hand, which is one of the height {heights}."
        raise RuleBroken("stone_not_in_hand", "P6", detail)


def _draw(draft: Draft[State], seat: int) -> None:
    """The seat draws a stone from the yard (P5, P8)."""
    stone = _stone_of_the_yard(draft)
    draft.emit(StoneDrawn(seat, stone))


def _stone_of_the_yard(draft: Draft[State]) -> int:
    """Return the height of a random stone of the yard, which still holds it."""
    return HEIGHTS[pick(draft.chance, draft.state.yard)]


_PLAY: dict[type, Callable[[Draft[State], Any], None]] = one_for_each(
    commands.COMMANDS,
    {
        commands.Begin: _begin,
        commands.Lay: _lay,
    },
)
