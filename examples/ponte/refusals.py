"""Why a command is refused when somebody or something else is awaited, and what would be legal."""

from typing import Any

from domain.errors import RuleBroken
from domain.game import HOUSE
from domain.kit import Awaited, Refusals
from examples.ponte.agenda import Opening, Turn
from examples.ponte.state import State

REFUSALS = Refusals(
    house_rule="P5",
    over_rule="P10",
    over="The match is over: nothing more can be done.",
)


def expect_turn(state: State, command: Any) -> None:
    """Raise RuleBroken unless it is the turn of the command's seat (P6)."""
    seats = len(state.players)
    if not 0 <= command.seat < seats:
        raise RuleBroken("no_such_seat", "P1", f"The seats are 0 to {seats - 1}.")
    if state.agenda[-1:] != [Turn(command.seat)]:
        raise REFUSALS.refusal(_awaited(state), command.seat, command.tag)


def expect_opening(state: State, command: Any) -> None:
    """Raise RuleBroken unless the house is to begin the match (P5)."""
    if state.agenda[-1:] != [Opening()]:
        raise REFUSALS.refusal(_awaited(state), HOUSE, command.tag)


def _awaited(state: State) -> Awaited | None:
    """Return what the top of the agenda awaits; None when the match is over."""
    match state.agenda:
        case [*_, Turn(seat)]:
            return Awaited(seat, "P6", "lay a stone (lay)")
        case [*_, Opening()]:
            return Awaited(HOUSE, "P5", "deal the stones (begin)")
        case _:
            return None
