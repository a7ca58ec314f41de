"""The greedy bot: try each move, let everybody finish the turn by rule of thumb, keep the best."""

from collections.abc import Sequence
from operator import itemgetter

from domain.calimala.agenda import Activation, Scoring
from domain.calimala.bot.rule_of_thumb import RuleOfThumb
from domain.calimala.bot.valuation import lead
from domain.calimala.bot.weights import BY_HAND, Weights
from domain.calimala.commands import Command, Score
from domain.calimala.evolve import evolve
from domain.calimala.moves import legal_moves
from domain.calimala.play import play
from domain.calimala.state import State
from domain.chance import Chance
from domain.game import Draft


def advise(state: State, seat: int, chance: Chance, weights: Weights = BY_HAND) -> Command:
    """Return the move after which the seat stands best (C14, C20, C33).

    The state is what the caller imagines. The seat may be the house's, which has no choice.
    weights: by which a position is guessed.
    """
    return best(legal_moves(state, seat), state, seat, chance, weights)


def best(
    moves: Sequence[Command], state: State, seat: int, chance: Chance, weights: Weights
) -> Command:
    """Return that one of the moves after which the seat stands best."""
    if len(moves) == 1:
        return moves[0]

    _worth, move = appraised(moves, state, seat, chance, weights)[0]
    return move


def appraised(
    moves: Sequence[Command], state: State, seat: int, chance: Chance, weights: Weights
) -> list[tuple[float, Command]]:
    """Return moves, each with what the seat's position is worth after it, best first.

    In points, against the others' (`lead`). The state is left alone.
    """
    rule = RuleOfThumb(state, weights)

    appraisals = []
    for move in moves:
        after = _after_the_turn(state, move, rule, chance)
        appraisals.append((lead(after, seat, weights), move))

    appraisals.sort(key=itemgetter(0), reverse=True)
    return appraisals


def _after_the_turn(state: State, move: Command, rule: RuleOfThumb, chance: Chance) -> State:
    """Return the position when the turn that the move belongs to is over and its scoring done."""
    draft = Draft(state.copy(), evolve, chance)
    after = draft.state
    play(draft, move)

    while True:
        top = after.agenda[-1]
        if type(top) is not Activation:
            break
        play(draft, rule.choose(after, top.seat))

    if type(top) is Scoring:
        play(draft, Score())
    return after
