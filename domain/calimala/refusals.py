"""Why a command is refused when somebody or something else is awaited, and what would be legal."""

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
from domain.game import HOUSE
from domain.kit.agenda import Awaited, Refusals

Expected = TypeVar("Expected", bound=Item)

REFUSALS = Refusals(
    house_rule="C38",
    over_rule="C42",
    over="The match is over: nothing more can be done.",
)

# What each item of the agenda awaits: by which rule, and what it is in words.
_OF_A_SEAT: dict[type, tuple[str, str]] = {
    Drafting: ("C13", "take one of the open action cards (take_action_card)"),
    Turn: ("C14", "place a disc (place_disc)"),
    Activation: ("C19", "perform, compensate or skip an activated action, or play a card"),
    Exchange: ("C33", "take one of its discs from a street (give_up_disc)"),
}
_KEEPING = ("C12", "keep one of its scoring cards (keep_scoring_card)")
_OF_THE_HOUSE: dict[type, str] = {
    Opening: "set the game up (set_up)",
    Scoring: "settle the next tile (score)",
    FinalScoring: "settle what is left (score)",
}


def expect(state: State, command: Any, kind: type[Expected]) -> Expected:
    """Return the top of the agenda if it is of the kind and awaits the command's seat.

    Raises RuleBroken otherwise, and where there is no such seat.
    """
    agenda = state.agenda
    top = agenda[-1] if agenda else None
    seat = command.seat
    if not 0 <= seat < len(state.players):
        last = len(state.players) - 1
        raise RuleBroken("no_such_seat", "C1", f"The seats are 0 to {last}.")

    # Every item but Keeping awaits one seat; Keeping awaits all that have kept no card yet.
    if type(top) is kind and getattr(top, "seat", seat) == seat:
        return top
    raise REFUSALS.refusal(_awaited(top), seat, command.tag)


def expect_house(state: State, command: Any, *kinds: type) -> None:
    """Raise RuleBroken unless the house is awaited for one of the kinds (C38)."""
    top = state.agenda[-1] if state.agenda else None
    if type(top) not in kinds:
        raise REFUSALS.refusal(_awaited(top), HOUSE, command.tag)


def _awaited(top: Any) -> Awaited | None:
    """Return what the top of the agenda awaits; None without a top, when the match is over."""
    if top is None:
        return None

    kind = type(top)
    if kind in _OF_THE_HOUSE:
        return Awaited(HOUSE, "C38", _OF_THE_HOUSE[kind])
    if kind is Keeping:
        return Awaited(None, *_KEEPING)
    return Awaited(top.seat, *_OF_A_SEAT[kind])
