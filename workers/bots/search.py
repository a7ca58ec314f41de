"""The levels that search: moves race each other through imagined futures.

What looks best at once is the favourite. In each imagined world every move still in the race is
made, all seats play on by habit for some turns, and the position is valued: as win chances. Another
move is played only if it has proved better than the favourite (policy improvement by rollouts:
Tesauro and Galperin 1996; imagined worlds: information-set Monte Carlo, Cowling, Powley and
Whitehouse 2012).
"""

import time
from typing import Any

from domain.chance import Chance
from domain.game import Game
from workers.bots.futures import World, candidates
from workers.bots.race import Race
from workers.bots.thinking import MOST_SHOWN, Budget, Candidate, Thought


def think(game: Game[Any], imagined: Any, seat: int, chance: Chance, budget: Budget) -> Thought:
    """Return the move that wins most in the futures that the budget allows.

    An iteration is one future of one move.
    """
    watch = _Watch(budget)
    moves = candidates(game, imagined, seat, chance)
    if len(moves) == 1:
        return Thought(moves[0])

    race = Race(moves)
    while not race.is_over and watch.allows(len(race.running)):
        world = World(game, imagined, seat, chance)
        chances = []
        for runner in race.running:
            if watch.is_late():
                return _thought(race, watch)
            chances.append(world.win_chances(runner.move)[seat])
            watch.count()
        race.note(chances)
    return _thought(race, watch)


class _Watch:
    """Counts futures, and keeps them within a budget."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._began = time.monotonic()
        self.iterations = 0

    def count(self) -> None:
        """Count one more future."""
        self.iterations += 1

    def allows(self, more: int) -> bool:
        """Return whether so many more futures may be begun."""
        most = self._budget.iterations
        return not self.is_late() if most is None else self.iterations + more <= most

    def is_late(self) -> bool:
        """Return whether the time is over, if it is time that limits."""
        seconds = self._budget.seconds
        return seconds is not None and time.monotonic() - self._began >= seconds


def _thought(race: Race, watch: _Watch) -> Thought:
    """Return what came of a race; without a single world nothing was weighed against anything."""
    winner = race.winner()
    if not race.has_begun:
        return Thought(winner.move, iterations=watch.iterations)

    others = [runner for runner in race.runners if runner is not winner]
    others.sort(key=race.win_chance, reverse=True)
    best = [winner, *others][:MOST_SHOWN]
    return Thought(
        move=winner.move,
        best=tuple(Candidate(runner.move, race.win_chance(runner)) for runner in best),
        iterations=watch.iterations,
    )
