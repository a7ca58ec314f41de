"""The levels that search: moves race each other through rollouts.

The favourite is the first candidate of the game. A determinization draws all hidden facts anew. In
each determinization every move still in the race is tried in a rollout: all seats play on by the
game's policies for some turns, and the position at the end gives win chances. The best move is
played (policy improvement by rollouts: Tesauro and Galperin 1996. Determinizations: information-set
Monte Carlo, Cowling, Powley and Whitehouse 2012).

Each move is compared with the favourite in the same determinizations, so that luck matters less. A
move that falls behind drops out of the race, so time goes to the moves that matter (Maron and Moore
1994, "Hoeffding races", here by standard errors).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from domain.chance import Chance, FastChance
from domain.game import AnyGame, Draft, Message, RolloutPolicy, SearchHooks, win_chances
from workers.bots import players
from workers.bots.players import MOST_SHOWN, Budget, MoveChoice, WeighedMove

_SEEDS = 1 << 53

_FEWEST_WEIGHED = 2  # moves to compare

_LEAST_SEEN = 8  # determinizations before any move drops out
_SEEN_TO_LEAD = 16  # determinizations before a move drops out behind the leader, or wins the race

# Distances in standard errors. A move drops out if it is this far behind the favourite or behind
# the leader. The last challenger wins the race if it is this far ahead of the favourite.
_BEHIND_THE_FAVOURITE = 2.0
_BEHIND_THE_LEADER = 2.5
_SURE = 3.0

_LEAST_VARIANCE = 1e-9  # differences that were equal a few times may still differ later


def think(game: AnyGame, imagined: Any, seat: int, chance: Chance, budget: Budget) -> MoveChoice:
    """Return the best move by the rollouts of the budget.

    In a game without search hooks, return the greedy bot's move. No new match of such a game has a
    level that searches, but an older match may have such a level.
    """
    hooks = game.search_hooks
    if hooks is None:
        return players.think_greedily(game, imagined, seat, chance, budget)

    rollouts = _Rollouts(seat, budget)
    moves = hooks.candidates(imagined, seat, chance)
    if len(moves) == 1:
        return MoveChoice(moves[0])

    def determinize() -> Determinization:
        return Determinization(game, hooks, imagined, seat, chance)

    return _weighed(moves, determinize, rollouts)


def _weighed(
    moves: Sequence[Message], determinize: Callable[[], "Determinization"], rollouts: "_Rollouts"
) -> MoveChoice:
    """Return the choice among several moves. The first move is the favourite.

    An iteration is one rollout of one move. Only moves tried in the first determinization, before
    half of the budget is spent, are compared.
    """
    chances = rollouts.win_chances(determinize(), moves, rollouts.are_half_spent)
    if len(chances) < _FEWEST_WEIGHED:
        return MoveChoice(moves[0], iterations=rollouts.played)

    race = Race(moves[: len(chances)])
    race.note(chances)
    while not race.is_over and rollouts.allow(len(race.running)):
        running = [runner.move for runner in race.running]
        chances = rollouts.win_chances(determinize(), running, rollouts.are_late)
        if len(chances) == len(running):
            race.note(chances)
    return _thought(race, rollouts.played)


class _Rollouts:
    """Plays the rollouts of a choice within a budget.

    played: number of rollouts so far.
    """

    def __init__(self, seat: int, budget: Budget) -> None:
        self._seat = seat
        self._budget = budget
        self._began = time.monotonic()
        self.played = 0

    def win_chances(
        self, drawn: "Determinization", moves: Sequence[Message], is_over: Callable[[], bool]
    ) -> list[float]:
        """Return the seat's win chance after each move, in the order of the moves.

        is_over: called before each move. After True the remaining moves are not tried.
        """
        chances: list[float] = []
        for move in moves:
            if is_over():
                break
            by_seat = drawn.win_chances(move, careful=self._budget.careful)
            chances.append(by_seat[self._seat])
            self.played += 1
        return chances

    def allow(self, more: int) -> bool:
        """Return True if the budget allows `more` rollouts to begin."""
        most = self._budget.iterations
        return not self.are_late() if most is None else self.played + more <= most

    def are_late(self) -> bool:
        """Return True if the budget is in seconds, and these are over."""
        seconds = self._budget.seconds
        return seconds is not None and self._seconds() >= seconds

    def are_half_spent(self) -> bool:
        """Return True if half of the time is over, or half of the rollouts are played."""
        budget = self._budget
        if budget.iterations is not None:
            return self.played >= budget.iterations / 2
        return budget.seconds is not None and self._seconds() >= budget.seconds / 2

    def _seconds(self) -> float:
        return time.monotonic() - self._began


def _thought(race: "Race", iterations: int) -> MoveChoice:
    """Return the choice after a race."""
    winner = race.winner()
    others = [runner for runner in race.runners if runner is not winner]
    others.sort(key=race.win_chance, reverse=True)
    best = [winner, *others][:MOST_SHOWN]
    return MoveChoice(
        move=winner.move,
        best=tuple(WeighedMove(runner.move, race.win_chance(runner)) for runner in best),
        iterations=iterations,
    )


# ---- rollouts ---------------------------------------------------------------------------------


class EventlessDraft(Draft[Any]):
    """A draft that appends no events, since nobody reads the events of a rollout."""

    def emit(self, event: Message) -> None:
        """Apply the event to the state."""
        self.evolve(self.state, event)


class Determinization:
    """A position for a seat, with all hidden facts drawn anew, and a seed for the draws to come.

    All moves tried in a determinization have the same position and seed. So luck explains less of
    the difference between the win chances of moves (common random numbers).
    """

    __slots__ = ("_game", "_hooks", "_seed", "_state")

    def __init__(
        self,
        game: AnyGame,
        hooks: SearchHooks[Any],
        state: Any,
        seat: int,
        chance: Chance,
    ) -> None:
        self._game = game
        self._hooks = hooks
        self._state = game.imagine(state, seat, chance)
        self._seed = chance.below(_SEEDS)

    def win_chances(self, move: Message, *, careful: bool = False) -> Sequence[float]:
        """Return the win chances by seat after a move. The chances add up to 1.

        careful: True to play the rest of the turn by `SearchHooks.careful`.
        """
        game = self._game
        hooks = self._hooks
        chance = FastChance(self._seed)
        draft = EventlessDraft(self._state.copy(), game.evolve, chance)
        game.play(draft, move)

        choose = hooks.careful if careful else hooks.rollout_policy(draft.state)
        _play_some_turns(game, hooks, draft, choose, chance)
        return win_chances(game, hooks, draft.state)


def _play_some_turns(
    game: AnyGame,
    hooks: SearchHooks[Any],
    draft: Draft[Any],
    choose: RolloutPolicy[Any],
    chance: Chance,
) -> None:
    """Play for as many turns as the game looks ahead, or to the end of the match.

    choose: the policy for the rest of the current turn. Later turns go by the rollout policy.
    """
    state = draft.state
    turns_left = hooks.turns_ahead(state)

    while actors := game.actors(state):
        if hooks.turn_begins(state):
            turns_left -= 1
            if turns_left <= 0:
                return
            choose = hooks.rollout_policy(state)

        move = choose(state, actors[0], chance)
        game.play(draft, move)


# ---- the race ----------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Runner:
    """A move in the race.

    seen: number of determinizations with this move.
    ahead: sum of the differences between the win chances of this move and of the favourite.
    squares: sum of the squares of these differences.
    """

    move: Message
    seen: int = 0
    ahead: float = 0.0
    squares: float = 0.0

    @property
    def lead(self) -> float:
        """The mean difference to the favourite's win chance, 0 for a move never tried."""
        return self.ahead / self.seen if self.seen else 0.0

    @property
    def does_the_same(self) -> bool:
        """True if the win chances never differed from the favourite's.

        Such a move may be the same two actions in another order.
        """
        return self.squares == 0.0

    def leads_by(self, errors: float, base: float = 0.0) -> bool:
        """Return True if the lead is more than some standard errors above a base.

        errors: number of standard errors. A negative number lets the lead be below the base.
        """
        if not self.seen:
            return False
        variance = max(_LEAST_VARIANCE, self.squares / self.seen - self.lead**2)
        return self.lead - base > errors * sqrt(variance / self.seen)

    def note(self, difference: float) -> None:
        """Count the difference to the favourite's win chance in one more determinization."""
        self.seen += 1
        self.ahead += difference
        self.squares += difference**2


class Race:
    """The compared moves. The first move is the favourite.

    The favourite drops out only if the last challenger has surely won.

    runners: all moves. running: moves still in the race, the favourite first. won: sum of the
    favourite's win chances.
    """

    def __init__(self, moves: Sequence[Message]) -> None:
        self.runners = [Runner(move) for move in moves]
        self.running = list(self.runners)
        self.favourite = self.runners[0]
        self.won = 0.0

    @property
    def is_over(self) -> bool:
        """True if only one move is left."""
        return len(self.running) == 1

    def note(self, chances: Sequence[float]) -> None:
        """Note one more win chance of each running move. Then let moves drop out."""
        favourite_chance = chances[0]
        self.won += favourite_chance
        for runner, chance in zip(self.running, chances, strict=True):
            runner.note(chance - favourite_chance)

        if self.favourite.seen >= _LEAST_SEEN:
            self._drop_out()

    def winner(self) -> Runner:
        """Return the move to play: the leader, or the first of equal leaders."""
        return max(self.running, key=lambda runner: runner.lead)

    def win_chance(self, runner: Runner) -> float:
        """Return the win chance of a move, 0 to 1: the favourite's mean plus the move's lead.

        The mean of the move's own chances would mislead, since a move that dropped out early may
        have met better luck. The race must have begun.
        """
        chance = self.won / self.favourite.seen + runner.lead
        return min(1.0, max(0.0, chance))

    def _drop_out(self) -> None:
        leader = self.winner()
        challengers = [runner for runner in self.running[1:] if _keeps_up(runner, leader)]
        self.running = [self.favourite, *challengers]

        if len(challengers) == 1 and _has_surely_won(challengers[0]):
            self.running = challengers


def _keeps_up(challenger: Runner, leader: Runner) -> bool:
    """Return True if a challenger stays in the race. A challenger that leads always does."""
    if challenger.does_the_same or not challenger.leads_by(-_BEHIND_THE_FAVOURITE):
        return False
    if challenger.seen < _SEEN_TO_LEAD:
        return True
    return challenger.leads_by(-_BEHIND_THE_LEADER, leader.lead)


def _has_surely_won(challenger: Runner) -> bool:
    """Return True if the last challenger is so far ahead that the race is decided."""
    return challenger.seen >= _SEEN_TO_LEAD and challenger.leads_by(_SURE)
