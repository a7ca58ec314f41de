"""What each command demands and causes: the top of the agenda must await it."""

from collections.abc import Callable
from typing import Any

from domain.firenze.agenda import TURN_STEPS, Step
from domain.firenze.build import build
from domain.firenze.choose import take_card
from domain.firenze.commands import (
    COMMANDS,
    AnswerEvent,
    Build,
    Discard,
    EndTurn,
    Exchange,
    Fulfil,
    PlayPersonnel,
    ResolveEvent,
    Score,
    SetUp,
    TakeCard,
)
from domain.firenze.dues import discard
from domain.firenze.end_turn import end_turn
from domain.firenze.event_cards import answer, resolve
from domain.firenze.exchange import exchange
from domain.firenze.fulfil import fulfil
from domain.firenze.personnel import play_personnel
from domain.firenze.scoring import score
from domain.firenze.setup import set_up
from domain.firenze.state import State
from domain.game import Draft
from domain.kit.agenda import Awaited, Refusals
from domain.kit.dispatch import one_for_each
from domain.seats import HOUSE

Rule = Callable[[Draft[State], Any], None]

# For each command the steps in which it is awaited, and the function that carries it out.
_RULES: dict[type, tuple[tuple[Step, ...], Rule]] = one_for_each(
    COMMANDS,
    {
        SetUp: ((Step.SET_UP,), set_up),
        TakeCard: ((Step.CHOOSE,), take_card),
        AnswerEvent: ((Step.ANSWER,), answer),
        ResolveEvent: ((Step.RESOLVE,), resolve),
        Discard: ((Step.DISCARD,), discard),
        Exchange: ((Step.BUILD,), exchange),
        Build: ((Step.BUILD,), build),
        Fulfil: ((Step.BUILD, Step.FULFIL), fulfil),
        PlayPersonnel: (TURN_STEPS, play_personnel),
        EndTurn: ((Step.BUILD, Step.FULFIL), end_turn),
        Score: ((Step.SCORE,), score),
    },
)

_REFUSALS = Refusals(
    house_rule="F43",
    over_rule="F43",
    over="The final scoring is recorded: nothing more can be done.",
    turn_rule="F1",
    wrong_phase="The move {command} is not possible now; you are to {task}.",
)

# What each step asks for: the rule, and words that complete "you are to".
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
    Step.ANSWER: ("F31", "say whether a Patrician is spent (answer_event)"),
    Step.RESOLVE: ("F32", "say what the event takes (resolve_event)"),
    Step.DISCARD: ("F34", "hand bricks over (discard)"),
    Step.SCORE: ("F43", "act (score)"),
}


def play(draft: Draft[State], command: Any) -> None:
    """Carry out a command; raises RuleBroken."""
    steps, rule = _RULES[type(command)]
    agenda = draft.state.agenda
    # The commands of the house name no seat.
    seat = getattr(command, "seat", HOUSE)
    if not agenda or agenda[-1].step not in steps or agenda[-1].seat != seat:
        raise _REFUSALS.refusal(_awaited(draft.state), seat, type(command).tag)

    rule(draft, command)


def _awaited(state: State) -> Awaited | None:
    """Return what the top of the agenda awaits, None when the match is over."""
    if not state.agenda:
        return None
    task = state.agenda[-1]
    rule, asked = _ASKED[task.step]
    return Awaited(task.seat, rule, asked)
