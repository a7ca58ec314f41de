"""Choices of bots, limits of their time, and the levels without a search."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from domain.chance import Chance
from domain.game import AnyGame, Message

MOST_SHOWN = 3  # best moves in a choice

# Seconds after which a job of bots begins no other move. The timeouts of these jobs are more than
# twice as long (service.store.jobs.table.QUEUES).
JOB_SECONDS = 2.0

Clock = Callable[[], float]
"""Counts seconds."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limit of a bot's thinking about a move, in seconds or in iterations.

    Only a number of iterations makes a search reproducible: machines differ in speed.

    careful: True if every rollout plays the rest of the current turn by `SearchHooks.careful`.
    """

    seconds: float | None = None
    iterations: int | None = None
    careful: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError unless the limit is either in seconds or in iterations."""
        if (self.seconds is None) == (self.iterations is None):
            raise ValueError("a budget is a number of seconds or a number of iterations")


@dataclass(frozen=True, slots=True)
class WeighedMove:
    """A move with the bot's estimate of the seat's win chance after it, 0 to 1."""

    move: Message
    win_chance: float


@dataclass(frozen=True, slots=True)
class MoveChoice:
    """A bot's choice of a move.

    move: the move to play. best: the best moves, at most MOST_SHOWN, beginning with `move`. () if
    fewer than two moves were compared. iterations: number of rollouts of single moves.
    """

    move: Message
    best: tuple[WeighedMove, ...] = ()
    iterations: int = 0


Player = Callable[[AnyGame, Any, int, Chance, Budget], MoveChoice]
"""player(game, imagined state, seat, chance, budget): a level's choice. It may change the state."""


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """The time of a job, and the share of each move.

    until: end of the job's time, by `clock`.
    share: time for a move as a share of the level's usual time, 0 to 1.
    """

    until: float
    share: float
    clock: Clock

    def left(self) -> float:
        """Return the seconds left for the job, less than 0 when its time is over."""
        return self.until - self.clock()

    def of_move(self, usual: Budget, seconds: float) -> Budget:
        """Return the budget for a move.

        usual: budget of the level. A number of iterations stays as it is.   seconds: upper limit.
        """
        if usual.seconds is None:
            return usual
        return replace(usual, seconds=min(usual.seconds * self.share, seconds))


UNHURRIED = TimeBudget(until=inf, share=1.0, clock=lambda: 0.0)
"""No limit for the job, and the level's usual time for each move."""


def time_budget(waiting: int, unhurried: int, clock: Clock) -> TimeBudget:
    """Return the time of a job that begins now.

    waiting: number of waiting jobs.
    unhurried: number of waiting jobs above which searching bots think less. 0: never.
    """
    is_hurried = 0 < unhurried < waiting
    share = unhurried / waiting if is_hurried else 1.0
    return TimeBudget(clock() + JOB_SECONDS, share, clock)


def think_greedily(
    game: AnyGame, imagined: Any, seat: int, chance: Chance, _budget: Budget
) -> MoveChoice:
    """Return the greedy bot's move."""
    return MoveChoice(game.advise(imagined, seat, chance))


def think_randomly(
    game: AnyGame, imagined: Any, seat: int, chance: Chance, _budget: Budget
) -> MoveChoice:
    """Return a random legal move."""
    return MoveChoice(game.random_move(imagined, seat, chance))
