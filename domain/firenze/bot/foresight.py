"""How Firenze is thought ahead: the greedy bot plays all seats, then the end is guessed.

It weighs by the tuned weights, as what looks best at once does; where a future ends, the prospects
count.
"""

from collections.abc import Callable, Sequence

from domain.chance import Chance
from domain.firenze.agenda import Step
from domain.firenze.bot.greedy import advise, plans_by_bricks
from domain.firenze.bot.prospects import doubt, prospects
from domain.firenze.bot.weights import TUNED
from domain.firenze.moves import Move, endings, fulfilments, legal_moves, takes
from domain.firenze.state import State
from domain.foresight import Foresight, Habit


def _candidates(state: State, seat: int, chance: Chance) -> Sequence[Move]:
    """Return the greedy move, and the others of its step that are worth a thought."""
    advised = _greedy(state, seat, chance)
    step = state.agenda[-1].step
    others = _OTHERS[step](state, seat) if step in _OTHERS else []
    return [advised, *[move for move in others if move != advised]]


def _deliveries(state: State, seat: int) -> Sequence[Move]:
    """Return all deliveries, and the end of the turn where no card need be given up."""
    ends = endings(state, seat)
    only_end = ends if len(ends) == 1 else []
    return [*fulfilments(state, seat), *only_end]


def _builds(state: State, seat: int) -> Sequence[Move]:
    return plans_by_bricks(state, seat, TUNED)


# By step, the moves that are weighed beside the greedy one. Which Personnel to play how and which
# cards to give up is left to it: there are hundreds of ways.
_OTHERS: dict[Step, Callable[[State, int], Sequence[Move]]] = {
    Step.CHOOSE: takes,
    Step.BUILD: _builds,
    Step.FULFIL: _deliveries,
    Step.ANSWER: legal_moves,
    Step.RESOLVE: legal_moves,
}


def _habit(_state: State) -> Habit[State]:
    """Return how all seats play: greedily, which is quick here."""
    return _greedy


def _greedy(state: State, seat: int, chance: Chance) -> Move:
    return advise(state, seat, chance, TUNED)


def _turn_begins(state: State) -> bool:
    return state.agenda[-1].step is Step.CHOOSE and not state.played


def _turns_ahead(state: State) -> int:
    """One round, and the seat's next turn: only then it has built on what it took."""
    return len(state.players) + 1


FORESIGHT = Foresight(
    candidates=_candidates,
    habit=_habit,
    careful=_greedy,
    turn_begins=_turn_begins,
    turns_ahead=_turns_ahead,
    prospects=prospects,
    doubt=doubt,
)
