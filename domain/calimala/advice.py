"""The greedy player: try each move, let everybody finish the turn by rule of thumb, keep the best position."""

from typing import Any

from domain.calimala.agenda import Activation, Scoring
from domain.calimala.appraisal import lead
from domain.calimala.commands import Score
from domain.calimala.evolve import evolve
from domain.calimala.moves import legal_moves
from domain.calimala.play import play
from domain.calimala.state import State
from domain.calimala.thumb import Thumb
from domain.chance import Chance
from domain.game import Draft


def advise(state: State, seat: int, chance: Chance) -> Any:
    """Return the move after which the seat stands best (C14, C20, C33); the state is the caller's imagination."""
    moves = legal_moves(state, seat)
    if len(moves) == 1:
        return moves[0]
    thumb = Thumb(state)
    return max(moves, key=lambda move: lead(_after(state, move, thumb, chance), seat))


def _after(state: State, move: Any, thumb: Thumb, chance: Chance) -> State:
    """Return the position when the turn that the move belongs to is over and its scoring done."""
    draft = Draft(state.copy(), evolve, chance)
    play(draft, move)
    agenda = draft.state.agenda
    while type(agenda[-1]) is Activation:
        play(draft, thumb.choose(draft.state, agenda[-1].seat))
    if type(agenda[-1]) is Scoring:
        play(draft, Score())
    return draft.state
