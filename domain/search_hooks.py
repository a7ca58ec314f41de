"""Search hooks: what a search asks of a game beside its rules.

Nothing here is a rule. A game may leave all of it out: then it has no bots that search, and nobody
can be advised.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from domain.chance import Chance
from domain.wire import Message

StateT = TypeVar("StateT")

RolloutPolicy = Callable[[StateT, int, Chance], Message]
"""policy(state, seat or HOUSE, chance): what a sensible player does without thinking long."""


@dataclass(frozen=True, slots=True)
class SearchHooks(Generic[StateT]):
    """How a search plays a game.

    The functions do no I/O and draw from the given chance alone. The states that they are handed
    are imagined, so all of them is known; none is changed.
    """

    candidates: Callable[[StateT, int, Chance], Sequence[Message]]
    """candidates(state, seat, chance): the moves worth weighing, first the one that looks best.

    There is one at least, and only one where there is nothing to weigh. A search in a hurry weighs
    the first few alone.
    """

    rollout_policy: Callable[[StateT], RolloutPolicy[StateT]]
    """rollout_policy(state): how all seats play from here to the end of the turn."""

    careful: RolloutPolicy[StateT]
    """careful(state, seat, chance): what a player does who takes the time to look.

    A level that thinks with care plays the rest of the turn at hand like this. All else is played
    by the rollout policy.
    """

    turn_begins: Callable[[StateT], bool]
    """turn_begins(state): whether a seat is to act that has done nothing yet in its turn."""

    turns_ahead: Callable[[StateT], int]
    """turns_ahead(state): how many turns of a rollout are played, the one at hand included."""

    expected_points: Callable[[StateT], Sequence[float]]
    """expected_points(state): what each seat may expect to have at the end, where a turn begins."""

    doubt: Callable[[StateT], float]
    """doubt(state): how much the expected points leave open, in points.

    Of two seats the one that is so many points ahead wins e times as often as the other.
    """
