"""What a bot thinks, how long it may, and the levels that do not search."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from domain.chance import Chance
from domain.game import AnyGame, Message

MOST_SHOWN = 3  # of the moves that were weighed, the best

# Seconds after which a job of bots begins no other move. A job may take more than twice as long
# (service.store.jobs.table.QUEUES), so none is ended by force; and the next match waits no longer.
JOB_SECONDS = 2.0

Clock = Callable[[], float]
"""Counts seconds."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a bot may think about a move: so many seconds, or so many iterations.

    Only a number of iterations makes a search reproducible: what a second holds differs from one
    machine to the next.

    careful: whether the rest of the turn at hand is played with care in every rollout. Such
    rollouts are truer, and may take twice as long.
    """

    seconds: float | None = None
    iterations: int | None = None
    careful: bool = False

    def __post_init__(self) -> None:
        """Demand exactly one of the two; raises ValueError."""
        if (self.seconds is None) == (self.iterations is None):
            raise ValueError("a budget is a number of seconds or a number of iterations")


@dataclass(frozen=True, slots=True)
class WeighedMove:
    """A move that was weighed.

    win_chance: how likely its seat wins after it, as the bot estimates, 0 to 1.
    """

    move: Message
    win_chance: float


@dataclass(frozen=True, slots=True)
class MoveChoice:
    """What came of thinking about a move.

    move: the one to play. best: the best moves, at most MOST_SHOWN, the one to play first; none
    where the level weighs no moves, or where there was no choice. iterations: how many there were.
    """

    move: Message
    best: tuple[WeighedMove, ...] = ()
    iterations: int = 0


Player = Callable[[AnyGame, Any, int, Chance, Budget], MoveChoice]
"""player(game, imagined state, seat, chance, budget): what a level thinks; the state may change."""


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """How much time a job has, and how much of it each move.

    until: when its time is over, by `clock`.
    share: how much of its usual time each level may think about a move, 0 to 1.
    """

    until: float
    share: float
    clock: Clock

    def left(self) -> float:
        """Return how many seconds the job has left; less than 0 when its time is over."""
        return self.until - self.clock()

    def of_move(self, usual: Budget, seconds: float) -> Budget:
        """Return what a level may think, of its usual budget, with so many seconds left.

        A number of iterations stays as it is.
        """
        if usual.seconds is None:
            return usual
        return replace(usual, seconds=min(usual.seconds * self.share, seconds))


UNHURRIED = TimeBudget(until=inf, share=1.0, clock=lambda: 0.0)
"""Of a job that has no end, while nothing else waits."""


def time_budget(waiting: int, unhurried: int, clock: Clock) -> TimeBudget:
    """Return the time of a job that begins now.

    waiting: how many other matches wait for their bots.
    unhurried: how many may wait before all think less; 0: bots always take their time.
    """
    is_hurried = 0 < unhurried < waiting
    share = unhurried / waiting if is_hurried else 1.0
    return TimeBudget(clock() + JOB_SECONDS, share, clock)


def think_greedily(
    game: AnyGame, imagined: Any, seat: int, chance: Chance, _budget: Budget
) -> MoveChoice:
    """Return the move that the game advises: the one that looks best at once."""
    return MoveChoice(game.advise(imagined, seat, chance))


def think_randomly(
    game: AnyGame, imagined: Any, seat: int, chance: Chance, _budget: Budget
) -> MoveChoice:
    """Return a random legal move."""
    return MoveChoice(game.random_move(imagined, seat, chance))
