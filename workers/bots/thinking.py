"""What a bot thinks: how long it may, the move it settles on, and what it weighed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from domain.chance import Chance
from domain.game import Game, Message

MOST_SHOWN = 3  # of the moves that were weighed, the best


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a bot may think about a move: so many seconds, or so many iterations.

    Only a number of iterations makes a search reproducible: what a second holds differs from one
    machine to the next.

    careful: whether the rest of the turn at hand is played with care in every future. Such futures
    are truer, and may take twice as long.
    """

    seconds: float | None = None
    iterations: int | None = None
    careful: bool = False

    def __post_init__(self) -> None:
        """Demand exactly one of the two; raises ValueError."""
        if (self.seconds is None) == (self.iterations is None):
            raise ValueError("a budget is a number of seconds or a number of iterations")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move that was weighed.

    win_chance: how likely its seat wins after it, as the bot estimates, 0 to 1.
    """

    move: Message
    win_chance: float


@dataclass(frozen=True, slots=True)
class Thought:
    """What came of thinking about a move.

    move: the one to play. best: the best moves, at most MOST_SHOWN, the one to play first; none
    where the level weighs no moves, or where there was no choice. iterations: how many there were.
    """

    move: Message
    best: tuple[Candidate, ...] = ()
    iterations: int = 0


Player = Callable[[Game[Any], Any, int, Chance, Budget], Thought]
"""player(game, imagined state, seat, chance, budget): what a level thinks; the state may change."""
