"""What follows without anybody's choice: ends of activations, the council, the end of play."""

from collections.abc import Callable
from typing import Any

from domain.calimala import council
from domain.calimala.agenda import Activation, Exchange, Promotion, Turn
from domain.calimala.components import ACTIONS
from domain.calimala.events import ActivationEnded, DraftEnded, PlayEnded
from domain.calimala.state import State, all_scored
from domain.game import Draft

Step = Callable[[Draft[State], Any], bool]


def proceed(draft: Draft[State]) -> None:
    """Resolve what is on top until there is a choice, the house must act, or all is over."""
    state = draft.state
    while state.agenda:
        top = state.agenda[-1]
        step = _STEPS.get(type(top))
        if step is None or not step(draft, top):
            return


def _end_activation(draft: Draft[State], activation: Activation) -> bool:
    """An activation ends by itself when its actions and its owner's hand are both used up (C21)."""
    if any(activation.left) or any(draft.state.players[activation.seat].hand):
        return False
    draft.emit(ActivationEnded(activation.seat))
    return True


def _begin_turn(draft: Draft[State], turn: Turn) -> bool:
    """Before the first turn the unused open cards join the deck (C13).

    Before seat 0's turn, play may be over (C39, C40).
    """
    state = draft.state
    if any(state.open_cards):
        left = tuple(action for action in ACTIONS if state.open_cards[action])
        draft.emit(DraftEnded(left))

    new_round = turn.seat == 0
    if new_round and _play_is_over(state):
        draft.emit(PlayEnded())
    return False


def _play_is_over(state: State) -> bool:
    """Whether no new round begins: all tiles are scored (C40), or all discs are placed (C39)."""
    first = state.players[0]
    return all_scored(state) or not (first.discs or first.whites)


# What each item of the agenda does by itself; a step returns whether the next item may go on.
_STEPS: dict[type, Step] = {
    Activation: _end_activation,
    Turn: _begin_turn,
    Promotion: council.promote,
    Exchange: council.exchange,
}
