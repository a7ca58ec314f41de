"""The levels that search: moves race each other through imagined futures.

What looks best at once is the favourite. In each imagined world every move still in the race is
made, all seats play on by habit for some turns, and the position is valued: as win chances. The
move that does best is played (policy improvement by rollouts: Tesauro and Galperin 1996; imagined
worlds: information-set Monte Carlo, Cowling, Powley and Whitehouse 2012).
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

from domain.chance import Chance
from domain.game import Game, Message
from workers.bots import greedy
from workers.bots.futures import World
from workers.bots.race import Race
from workers.bots.thinking import MOST_SHOWN, Budget, Candidate, Thought

_FEWEST_WEIGHED = 2  # moves; one alone is not weighed against anything


def think(game: Game[Any], imagined: Any, seat: int, chance: Chance, budget: Budget) -> Thought:
    """Return the move that wins most in the futures that the budget allows.

    In a game without foresight it is the greedy bot's. No level that searches is offered there, but
    a match may have been opened while it was.
    """
    foresight = game.foresight
    if foresight is None:
        return greedy.think(game, imagined, seat, chance, budget)

    futures = _Futures(seat, budget)
    moves = foresight.candidates(imagined, seat, chance)
    if len(moves) == 1:
        return Thought(moves[0])

    def imagine_world() -> World:
        return World(game, foresight, imagined, seat, chance)

    return _weighed(moves, imagine_world, futures)


def _weighed(
    moves: Sequence[Message], imagine_world: Callable[[], World], futures: "_Futures"
) -> Thought:
    """Return what comes of weighing several moves, the favourite first.

    An iteration is one future of one move. Who is in a hurry weighs fewer moves: those that are
    tried in the first world before half of the budget is spent.
    """
    chances = futures.win_chances(imagine_world(), moves, futures.are_half_spent)
    if len(chances) < _FEWEST_WEIGHED:
        return Thought(moves[0], iterations=futures.played)

    race = Race(moves[: len(chances)])
    race.note(chances)
    while not race.is_over and futures.allow(len(race.running)):
        running = [runner.move for runner in race.running]
        chances = futures.win_chances(imagine_world(), running, futures.are_late)
        if len(chances) == len(running):
            race.note(chances)
    return _thought(race, futures.played)


class _Futures:
    """Plays the futures of a thought, and keeps them within its budget.

    played: how many there were so far.
    """

    def __init__(self, seat: int, budget: Budget) -> None:
        self._seat = seat
        self._budget = budget
        self._began = time.monotonic()
        self.played = 0

    def win_chances(
        self, world: World, moves: Sequence[Message], is_over: Callable[[], bool]
    ) -> list[float]:
        """Return how likely the seat wins by each of the moves in a world, in their order.

        is_over: tells before each move whether the time is over; then the rest is not tried.
        """
        chances: list[float] = []
        for move in moves:
            if is_over():
                break
            by_seat = world.win_chances(move, careful=self._budget.careful)
            chances.append(by_seat[self._seat])
            self.played += 1
        return chances

    def allow(self, more: int) -> bool:
        """Return whether so many more may be begun."""
        most = self._budget.iterations
        return not self.are_late() if most is None else self.played + more <= most

    def are_late(self) -> bool:
        """Return whether the time is over, if it is time that limits."""
        seconds = self._budget.seconds
        return seconds is not None and self._seconds() >= seconds

    def are_half_spent(self) -> bool:
        """Return whether half of the time is over, or half of the futures are played."""
        budget = self._budget
        if budget.iterations is not None:
            return self.played >= budget.iterations / 2
        return budget.seconds is not None and self._seconds() >= budget.seconds / 2

    def _seconds(self) -> float:
        return time.monotonic() - self._began


def _thought(race: Race, iterations: int) -> Thought:
    """Return what came of a race."""
    winner = race.winner()
    others = [runner for runner in race.runners if runner is not winner]
    others.sort(key=race.win_chance, reverse=True)
    best = [winner, *others][:MOST_SHOWN]
    return Thought(
        move=winner.move,
        best=tuple(Candidate(runner.move, race.win_chance(runner)) for runner in best),
        iterations=iterations,
    )
