"""How long the bots of one job may think: until the job's own end, and less while many wait."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from workers.bots.thinking import Budget

# Seconds after which a job of bots begins no other move. A job may take more than twice as long
# (service.jobs.queues.TIMEOUTS), so none is ended by force; and the next match waits no longer.
JOB_SECONDS = 2.0

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Pace:
    """How much time a job has.

    until: when its time is over, by `clock`, which counts seconds.
    share: how much of its usual time each level may think about a move, 0 to 1.
    """

    until: float
    share: float
    clock: Clock

    def left(self) -> float:
        """Return how many seconds the job has left; less than 0 when its time is over."""
        return self.until - self.clock()

    def budget(self, usual: Budget, seconds: float) -> Budget:
        """Return what a level may think, of its usual budget, with so many seconds left.

        A number of iterations stays as it is.
        """
        if usual.seconds is None:
            return usual
        return replace(usual, seconds=min(usual.seconds * self.share, seconds))


UNHURRIED = Pace(until=inf, share=1.0, clock=lambda: 0.0)
"""The pace of a job that has no end, while nobody waits."""


def pace(waiting: int, unhurried: int, clock: Clock) -> Pace:
    """Return the pace of a job that begins now.

    waiting: how many other matches wait for their bots.
    unhurried: how many may wait before all think less; 0: bots always take their time.
    """
    is_hurried = 0 < unhurried < waiting
    share = unhurried / waiting if is_hurried else 1.0
    return Pace(clock() + JOB_SECONDS, share, clock)
