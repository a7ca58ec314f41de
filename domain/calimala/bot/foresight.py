"""How Calimala is thought ahead: where a disc goes, a round of greedy placing, and a guess.

What looks best at once, and what all seats do by habit, the tuned weights say; where a future ends,
the prospects count. What is done in an activation is not weighed: the end of the turn, where it
shows, is looked at anyway. Nor is it weighed which disc is given up at the council (C33).
"""

from collections.abc import Sequence

from domain.calimala.agenda import Activation, Drafting, Keeping, Turn
from domain.calimala.bot.greedy import advise, appraised, best
from domain.calimala.bot.prospects import doubt, prospects
from domain.calimala.bot.rule_of_thumb import RuleOfThumb
from domain.calimala.bot.weights import TUNED
from domain.calimala.commands import Command, PlaceDisc
from domain.calimala.components import Disc
from domain.calimala.moves import legal_moves
from domain.calimala.state import State
from domain.chance import Chance
from domain.foresight import Foresight, Habit

_WEIGHED = (Keeping, Drafting, Turn)  # what is next where moves are weighed
_MOST_CANDIDATES = 12
_MUCH_WORSE = 6.0  # points: a move that looks so much worse than the best is no candidate


def _candidates(state: State, seat: int, chance: Chance) -> Sequence[Command]:
    """Return the moves that look best at once; where nothing is weighed, the best alone."""
    if type(state.agenda[-1]) not in _WEIGHED:
        return [_careful(state, seat, chance)]

    appraisals = appraised(legal_moves(state, seat), state, seat, chance, TUNED)
    best_worth, _best_move = appraisals[0]
    least_worth = best_worth - _MUCH_WORSE
    return [move for worth, move in appraisals[:_MOST_CANDIDATES] if worth > least_worth]


def _habit(state: State) -> Habit[State]:
    """Return how all seats play this turn: activations by rule of thumb, all else greedily."""
    rule = RuleOfThumb(state, TUNED)

    def choose(now: State, seat: int, chance: Chance) -> Command:
        if type(now.agenda[-1]) is Activation:
            return rule.choose(now, seat)
        return best(_usual_moves(now, seat), now, seat, chance, TUNED)

    return choose


def _careful(state: State, seat: int, chance: Chance) -> Command:
    """Return what the bot would do, since it is its own turn that is played to the end."""
    return advise(state, seat, chance, TUNED)


def _usual_moves(state: State, seat: int) -> Sequence[Command]:
    """Return all moves, without the white discs while there are coloured ones.

    That halves what there is to look at, and so the time that a future takes.
    """
    moves = legal_moves(state, seat)
    if state.players[seat].discs:
        return [move for move in moves if not _places_white(move)]
    return moves


def _places_white(move: Command) -> bool:
    return isinstance(move, PlaceDisc) and move.disc is Disc.WHITE


def _turn_begins(state: State) -> bool:
    return type(state.agenda[-1]) is Turn


def _turns_ahead(state: State) -> int:
    """One round: until the seat has a disc to place again."""
    return len(state.players)


FORESIGHT = Foresight(
    candidates=_candidates,
    habit=_habit,
    careful=_careful,
    turn_begins=_turn_begins,
    turns_ahead=_turns_ahead,
    prospects=prospects,
    doubt=doubt,
)
