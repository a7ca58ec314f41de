"""Refusals of commands that the agenda does not await."""

from collections.abc import Collection

from domain.firenze.agenda import Step
from domain.firenze.state import State
from domain.kit import Awaited, Refusals
from domain.seats import HOUSE
from domain.wire import Message

REFUSALS = Refusals(
    house_rule="F43",
    over_rule="F43",
    over="The final scoring is recorded: nothing more can be done.",
    turn_rule="F1",
    wrong_phase="The move {command} is not possible now. You are to {task}.",
)

# By step: the rule, and words for the task (`Awaited.task`).
_ASKED: dict[Step, tuple[str, str]] = {
    Step.SET_UP: ("F43", "act (set_up)"),
    Step.CHOOSE: (
        "F14",
        "take a card (take_card), before it perhaps play Personnel (play_personnel)",
    ),
    Step.BUILD: (
        "F19",
        "play Personnel (play_personnel), exchange, build or end the turn (end_turn)",
    ),
    Step.FULFIL: ("F21", "fulfil, play Personnel (play_personnel) or end the turn (end_turn)"),
    Step.ANSWER: ("F31", "spend a Patrician or none (answer_event)"),
    Step.RESOLVE: ("F32", "name the loss (resolve_event)"),
    Step.DISCARD: ("F34", "hand bricks over (discard)"),
    Step.SCORE: ("F43", "act (score)"),
}


def expect(state: State, command: Message, steps: Collection[Step]) -> None:
    """Raise RuleBroken unless the command's seat is awaited for one of the steps.

    A command without a seat is the house's.
    """
    seat = getattr(command, "seat", HOUSE)
    agenda = state.agenda
    if not agenda or agenda[-1].step not in steps or agenda[-1].seat != seat:
        raise REFUSALS.refusal(_awaited(state), seat, command.tag)


def _awaited(state: State) -> Awaited | None:
    """Return the actor and the task at the top of the agenda. None: the match is over."""
    if not state.agenda:
        return None
    task = state.agenda[-1]
    rule, words = _ASKED[task.step]
    return Awaited(task.seat, rule, words)
