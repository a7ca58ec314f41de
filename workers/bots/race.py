"""A race of moves: who falls behind drops out, so that time goes to the moves that matter.

All moves still in the race are tried in the same worlds, and compared world by world: what the luck
of a world does to both of two moves drops out of their difference. There are two ways to drop out:

- The race is halved: in the course of the budget the better half goes on, then the better half of
  that, until two are left (sequential halving; Karnin, Koren and Somekh 2013).
- A move is further behind the leader than luck explains. So the race may end before the budget
  does (Maron and Moore 1994, "Hoeffding races"; here by standard errors).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, log2, sqrt

from domain.game import Message

_WORLDS_TO_HALVE = 2
_WORLDS_TO_BE_SURE = 8  # whenever so many more were seen, it is asked who is surely behind
_BEHIND = 2.5  # standard errors


@dataclass(slots=True, eq=False)
class Runner:
    """A move in the race.

    chances: how likely it wins, 0 to 1, in each world that it was tried in, the first world first.
    total: their sum.
    """

    move: Message
    chances: list[float] = field(default_factory=list)
    total: float = 0.0

    @property
    def worlds(self) -> int:
        """In how many worlds it was tried."""
        return len(self.chances)

    @property
    def mean(self) -> float:
        """How likely it wins on average; 0 if it was never tried."""
        return self.total / self.worlds if self.chances else 0.0

    def note(self, chance: float) -> None:
        """Note how likely it wins in one more world."""
        self.chances.append(chance)
        self.total += chance

    def leads(self, other: "Runner") -> list[float]:
        """Return by how much it is likelier to win than another, in each world that both saw."""
        both = zip(self.chances, other.chances, strict=False)
        return [own - others for own, others in both]


class Race:
    """The moves that are weighed.

    runners: all of them, the favourite first. running: those still in the race, in the same order.
    """

    def __init__(self, moves: Sequence[Message]) -> None:
        self.runners = [Runner(move) for move in moves]
        self.running = list(self.runners)

    @property
    def is_over(self) -> bool:
        """Whether one move alone is left."""
        return len(self.running) == 1

    def note(self, chances: Sequence[float]) -> None:
        """Note how likely each running move wins in one more world; let go who is surely behind."""
        for runner, chance in zip(self.running, chances, strict=True):
            runner.note(chance)

        leader = self.winner()
        if leader.worlds % _WORLDS_TO_BE_SURE == 0:
            self.running = [
                runner
                for runner in self.running
                if runner is leader or not _is_surely_behind(runner, leader)
            ]

    def halve(self, spent: float) -> None:
        """Let the better half go on, as often as the budget has come to that.

        spent: the share of the budget that is spent, 0 to 1. All halves get an equal share of it.
        """
        moves = len(self.runners)
        halvings = int(spent * ceil(log2(moves)))
        places = ceil(moves / 2**halvings)
        if self.winner().worlds < _WORLDS_TO_HALVE or places >= len(self.running):
            return

        best = sorted(self.running, key=_mean_of, reverse=True)[:places]
        self.running = [runner for runner in self.running if runner in best]

    def winner(self) -> Runner:
        """Return the move to play: the leader; of those that are level the first one."""
        return max(self.running, key=_mean_of)

    def win_chance(self, runner: Runner) -> float:
        """Return how likely a move wins, 0 to 1, beside the winner and never likelier.

        The winner was tried in all worlds. One that dropped out early may have met better luck, so
        it counts by how far it was behind the winner there. The race must have begun.
        """
        winner = self.winner()
        behind = max(0.0, _mean(winner.leads(runner)))
        return max(0.0, winner.mean - behind)


def _is_surely_behind(runner: Runner, leader: Runner) -> bool:
    """Return whether luck alone does not explain how far a move is behind, or it does the same.

    Two moves that do the same, such as two actions in another order, differ in no world.
    """
    leads = leader.leads(runner)
    if not any(leads):
        return True

    lead = _mean(leads)
    variance = _mean([(each - lead) ** 2 for each in leads])
    return lead > _BEHIND * sqrt(variance / len(leads))


def _mean_of(runner: Runner) -> float:
    return runner.mean


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)
