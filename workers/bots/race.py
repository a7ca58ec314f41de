"""A race of moves: who falls behind drops out, so that time goes to the moves that matter.

All moves still in the race are tried in the same worlds. They are compared with the favourite,
world by world: what the luck of a world does to both of them drops out of the difference (Maron and
Moore 1994, "Hoeffding races"; here by standard errors).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from domain.game import Message

# How many worlds are seen before anybody drops out for being behind the favourite, and before it
# counts how far the leader leads: others drop out behind it, or the race ends with its win.
_LEAST_WORLDS = 8
_WORLDS_TO_LEAD = 16

# By how many standard errors a move drops out: behind the favourite, behind the leader; and by how
# many the last challenger must lead to end the race.
_BEHIND_THE_FAVOURITE = 2.0
_BEHIND_THE_LEADER = 2.5
_SURE = 3.0

_LEAST_VARIANCE = 1e-9  # a difference that was the same in a few worlds may still change


@dataclass(slots=True, eq=False)
class Runner:
    """A move in the race.

    worlds: in how many it was tried. ahead, squares: the sum of its differences to the favourite
    there, and of their squares.
    """

    move: Message
    worlds: int = 0
    ahead: float = 0.0
    squares: float = 0.0

    @property
    def lead(self) -> float:
        """How much better it does than the favourite, on average; 0 if it was never tried."""
        return self.ahead / self.worlds if self.worlds else 0.0

    @property
    def does_the_same(self) -> bool:
        """Whether it has made no difference in any world, such as two actions in another order."""
        return self.squares == 0.0

    def leads_by(self, errors: float, base: float = 0.0) -> bool:
        """Return whether its lead is more than so many standard errors above a base.

        errors: may be negative: then the lead may lie so far below.
        """
        if not self.worlds:
            return False
        variance = max(_LEAST_VARIANCE, self.squares / self.worlds - self.lead**2)
        return self.lead - base > errors * sqrt(variance / self.worlds)

    def note(self, difference: float) -> None:
        """Note by how much it is likelier to win than the favourite in one more world."""
        self.worlds += 1
        self.ahead += difference
        self.squares += difference**2


class Race:
    """The moves that are weighed; the first one is the favourite.

    It never drops out for being slow, only when the last challenger has surely won.

    runners: all of them. running: those still in the race, the favourite first. won: the sum of
    the favourite's win chances in all worlds.
    """

    def __init__(self, moves: Sequence[Message]) -> None:
        self.runners = [Runner(move) for move in moves]
        self.running = list(self.runners)
        self.favourite = self.runners[0]
        self.won = 0.0

    @property
    def is_over(self) -> bool:
        """Whether one move alone is left."""
        return len(self.running) == 1

    def note(self, chances: Sequence[float]) -> None:
        """Note how likely each running move wins in one more world; let the slow ones drop out."""
        favourite_chance = chances[0]
        self.won += favourite_chance
        for runner, chance in zip(self.running, chances, strict=True):
            runner.note(chance - favourite_chance)

        if self.favourite.worlds >= _LEAST_WORLDS:
            self._drop_out()

    def winner(self) -> Runner:
        """Return the move to play: the leader; of those that are level the first one."""
        return max(self.running, key=lambda runner: runner.lead)

    def win_chance(self, runner: Runner) -> float:
        """Return how likely a move wins, 0 to 1: as the favourite does, and its lead.

        The favourite was tried in all worlds; one that dropped out early may have met better luck.
        The race must have begun.
        """
        chance = self.won / self.favourite.worlds + runner.lead
        return min(1.0, max(0.0, chance))

    def _drop_out(self) -> None:
        leader = self.winner()
        challengers = [runner for runner in self.running[1:] if _keeps_up(runner, leader)]
        self.running = [self.favourite, *challengers]

        if len(challengers) == 1 and _has_surely_won(challengers[0]):
            self.running = challengers


def _keeps_up(challenger: Runner, leader: Runner) -> bool:
    """Return whether a challenger may still prove to be the best move; the leader always may."""
    if challenger.does_the_same or not challenger.leads_by(-_BEHIND_THE_FAVOURITE):
        return False
    if challenger.worlds < _WORLDS_TO_LEAD:
        return True
    return challenger.leads_by(-_BEHIND_THE_LEADER, leader.lead)


def _has_surely_won(challenger: Runner) -> bool:
    """Return whether the last challenger is so far ahead that more worlds would be wasted."""
    return challenger.worlds >= _WORLDS_TO_LEAD and challenger.leads_by(_SURE)
