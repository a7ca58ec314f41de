"""Why a command is refused when somebody or something else is awaited, and what would be legal instead."""

from typing import Any, TypeVar

from domain.calimala.agenda import (
    Activation,
    Drafting,
    Exchange,
    FinalScoring,
    Item,
    Keeping,
    Opening,
    Scoring,
    Turn,
)
from domain.calimala.state import State
from domain.errors import RuleBroken

Awaited = TypeVar("Awaited", bound=Item)

_AWAITED: dict[type, tuple[str, str]] = {
    Keeping: ("C12", "keep one of its scoring cards (keep_scoring_card)"),
    Drafting: ("C13", "take one of the open action cards (take_action_card)"),
    Turn: ("C14", "place a disc (place_disc)"),
    Activation: ("C19", "perform, compensate or skip an activated action, or play a card"),
    Exchange: ("C33", "take one of its discs from a street (give_up_disc)"),
}
_HOUSE_AWAITED: dict[type, str] = {
    Opening: "set the game up (set_up)",
    Scoring: "settle the next tile (score)",
    FinalScoring: "settle what is left (score)",
}


def expect(state: State, seat: int, kind: type[Awaited]) -> Awaited:
    """Return the top of the agenda if it is of the kind and awaits the seat; else raise RuleBroken."""
    top = state.agenda[-1] if state.agenda else None
    if type(top) is kind and getattr(top, "seat", seat) == seat and 0 <= seat < len(state.players):
        return top
    raise _refusal(state, seat, top)


def expect_house(state: State, *kinds: type) -> None:
    """Raise RuleBroken unless the house is awaited for one of the kinds (C38)."""
    top = state.agenda[-1] if state.agenda else None
    if type(top) not in kinds:
        raise RuleBroken("house_not_awaited", "C38", f"{_whats_next(top)}.")


def _refusal(state: State, seat: int, top: Any) -> RuleBroken:
    if not 0 <= seat < len(state.players):
        return RuleBroken("no_such_seat", "C1", f"The seats are 0 to {len(state.players) - 1}.")
    if top is None:
        return RuleBroken("match_over", "C42", "The match is over: nothing more can be done.")
    if type(top) in _HOUSE_AWAITED:
        return RuleBroken("house_awaited", "C38", f"{_whats_next(top)}; then play goes on.")
    code = "not_your_turn" if getattr(top, "seat", seat) != seat else "not_now"
    return RuleBroken(code, _AWAITED[type(top)][0], f"{_whats_next(top)}.")


def _whats_next(top: Any) -> str:
    if top is None:
        return "The match is over"
    if type(top) in _HOUSE_AWAITED:
        return f"The house must first {_HOUSE_AWAITED[type(top)]}"
    who = f"Seat {top.seat}" if hasattr(top, "seat") else "Every seat that has not done so yet"
    return f"{who} is to {_AWAITED[type(top)][1]}"
