"""Refusals of commands that the agenda does not await."""

from typing import TypeVar

from domain.calimala import agenda
from domain.calimala.commands import KeepScoringCard
from domain.calimala.state import State
from domain.errors import RuleBroken
from domain.game import HOUSE
from domain.kit import Awaited, Refusals
from domain.wire import Message, SeatMessage

OfASeat = TypeVar("OfASeat", agenda.Drafting, agenda.Turn, agenda.Activation, agenda.Exchange)

REFUSALS = Refusals(
    house_rule="C38",
    over_rule="C42",
    over="The match is over: nothing more can be done.",
)

# By item of the agenda: the rule and the task.
_OF_SEATS: dict[type, tuple[str, str]] = {
    agenda.Keeping: ("C12", "keep one of its scoring cards (keep_scoring_card)"),
    agenda.Drafting: ("C13", "take one of the open action cards (take_action_card)"),
    agenda.Turn: ("C14", "place a disc (place_disc)"),
    agenda.Activation: ("C19", "perform, compensate or skip an activated action, or play a card"),
    agenda.Exchange: ("C33", "take one of its discs from a street (give_up_disc)"),
}
_OF_THE_HOUSE: dict[type, str] = {
    agenda.Opening: "set the game up (set_up)",
    agenda.Scoring: "settle the next tile (score)",
    agenda.FinalScoring: "settle the rest (score)",
}


def expect(state: State, command: SeatMessage, kind: type[OfASeat]) -> OfASeat:
    """Return the top of the agenda.

    Raises RuleBroken unless the top is of this kind and awaits the command's seat.
    """
    top = state.agenda[-1] if state.agenda else None
    if isinstance(top, kind) and top.seat == command.seat:
        return top
    raise _refusal(state, command)


def expect_keeping(state: State, command: KeepScoringCard) -> None:
    """Raise RuleBroken unless seats are to keep a card now, and this seat exists (C12)."""
    top = state.agenda[-1] if state.agenda else None
    if type(top) is not agenda.Keeping or not _exists(state, command.seat):
        raise _refusal(state, command)


def expect_house(state: State, command: Message, *kinds: type) -> None:
    """Raise RuleBroken unless the house is awaited for one of the kinds (C38)."""
    top = state.agenda[-1] if state.agenda else None
    if type(top) not in kinds:
        raise REFUSALS.refusal(_awaited(state), HOUSE, command.tag)


def _exists(state: State, seat: int) -> bool:
    return 0 <= seat < len(state.players)


def _refusal(state: State, command: SeatMessage) -> RuleBroken:
    """Return the refusal of a command of a seat that is not awaited for it."""
    if not _exists(state, command.seat):
        last_seat = len(state.players) - 1
        return RuleBroken("no_such_seat", "C1", f"The seats are 0 to {last_seat}.")
    return REFUSALS.refusal(_awaited(state), command.seat, command.tag)


def _awaited(state: State) -> Awaited | None:
    """Return the actor and the task at the top of the agenda. None: the match is over."""
    if not state.agenda:
        return None

    top = state.agenda[-1]
    kind = type(top)
    if isinstance(top, agenda.Opening | agenda.Scoring | agenda.FinalScoring):
        return Awaited(HOUSE, "C38", _OF_THE_HOUSE[kind])

    rule, task = _OF_SEATS[kind]
    if isinstance(top, agenda.Keeping):
        return Awaited(None, rule, task)
    return Awaited(top.seat, rule, task)
