"""What each command demands and causes: the top of the agenda must await it."""

from collections.abc import Callable
from typing import Any

from domain.firenze.agenda import TURN_STEPS, Step
from domain.firenze.build import build, built_colours, complete, finish_building
from domain.firenze.choose import exchange, take_card
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
from domain.firenze.components import End
from domain.firenze.event_cards import answer, discard, resolve
from domain.firenze.events import BricksDiscarded, CardDiscarded, PlayEnded, TurnBegan
from domain.firenze.fulfil import brick_surplus, cards_to_go, fulfil
from domain.firenze.personnel import play_personnel
from domain.firenze.scoring import score
from domain.firenze.setup import set_up
from domain.firenze.state import State
from domain.game import Draft
from domain.kit import Awaited, Refusals, one_for_each
from domain.seats import HOUSE

# §§§ domain.firenze.play
# The end of a turn, and which turn is the last (F19, F24, F40, F45).


def end_turn(draft: Draft[State], command: EndTurn) -> None:
    """Build nothing if nothing was built, meet the limits, pass the turn on (F19, F24)."""
    state = draft.state
    seat = command.seat
    player = state.players[seat]
    cards = cards_to_go(player, command.cards)

    # Bricks of towers torn down now count for the limit (F24).
    if state.agenda[-1].step is Step.BUILD:
        finish_building(draft, seat)

    surplus = brick_surplus(player)
    if surplus or command.bricks:
        building = built_colours(player)
        bricks = complete(command.bricks, surplus, player.storehouse, building, "F24")
        draft.emit(BricksDiscarded(seat, bricks))
    for card in cards:
        draft.emit(CardDiscarded(seat, card))

    _pass_on(draft)


def _pass_on(draft: Draft[State]) -> None:
    """Begin the next seat's turn, or end the match.

    It ends when all others have had one turn after the last seal (F40), or at the turn limit (F45).
    """
    state = draft.state
    seats = len(state.players)
    turn = state.turn + 1
    next_seat = turn % seats

    all_turns = seats * state.turn_limit
    if state.end_seat == next_seat:
        draft.emit(PlayEnded(End.LAST_SEAL))
    elif state.end_seat < 0 and turn >= all_turns:
        draft.emit(PlayEnded(End.TURN_LIMIT))
    else:
        draft.emit(TurnBegan(next_seat, turn))


# §§§ domain.firenze.play


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
