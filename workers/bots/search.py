"""The levels that search: moves race each other through rollouts.

What looks best at once is the favourite. In each determinization, in which all that is hidden is
drawn, every move still in the race is made. All seats play on by the game's rollout policy for some
turns, and the position is valued: as win chances. The move that does best is played (policy
improvement by rollouts: Tesauro and Galperin 1996; determinizations: information-set Monte Carlo,
Cowling, Powley and Whitehouse 2012).

Moves are compared with the favourite in the same determinizations: what luck does to both drops out
of the difference. Who falls behind drops out of the race, so that time goes to the moves that
matter (Maron and Moore 1994, "Hoeffding races"; here by standard errors).
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

_FEWEST_WEIGHED = 2  # moves; one alone is not weighed against anything

# How many determinizations are seen before any move drops out for being behind the favourite, and
# before it counts how far the leader leads: others drop out behind it, or the race ends with its
# win.
_LEAST_SEEN = 8
_SEEN_TO_LEAD = 16

# By how many standard errors a move drops out: behind the favourite, behind the leader; and by how
# many the last challenger must lead to end the race.
_BEHIND_THE_FAVOURITE = 2.0
_BEHIND_THE_LEADER = 2.5
_SURE = 3.0

_LEAST_VARIANCE = 1e-9  # a difference that was the same a few times may still change


def think(game: AnyGame, imagined: Any, seat: int, chance: Chance, budget: Budget) -> MoveChoice:
    """Return the move that wins most in the rollouts that the budget allows.

    In a game without search hooks it is the greedy bot's. No level that searches is offered there,
    but a match may have been opened while it was.
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
    """Return what comes of weighing several moves, the favourite first.

    An iteration is one rollout of one move. In a hurry fewer moves are weighed: those that are
    tried in the first determinization before half of the budget is spent.
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
    """Plays the rollouts of a thought, and keeps them within its budget.

    played: how many there were so far.
    """

    def __init__(self, seat: int, budget: Budget) -> None:
        self._seat = seat
        self._budget = budget
        self._began = time.monotonic()
        self.played = 0

    def win_chances(
        self, drawn: "Determinization", moves: Sequence[Message], is_over: Callable[[], bool]
    ) -> list[float]:
        """Return how likely the seat wins by each of the moves, in their order.

        is_over: asked before each move whether the time is over; then the rest is not tried.
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
        """Return whether so many more may be begun."""
        most = self._budget.iterations
        return not self.are_late() if most is None else self.played + more <= most

    def are_late(self) -> bool:
        """Return whether the time is over, if it is time that limits."""
        seconds = self._budget.seconds
        return seconds is not None and self._seconds() >= seconds

    def are_half_spent(self) -> bool:
        """Return whether half of the time is over, or half of the rollouts are played."""
        budget = self._budget
        if budget.iterations is not None:
            return self.played >= budget.iterations / 2
        return budget.seconds is not None and self._seconds() >= budget.seconds / 2

    def _seconds(self) -> float:
        return time.monotonic() - self._began


def _thought(race: "Race", iterations: int) -> MoveChoice:
    """Return what came of a race."""
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
    """A draft that keeps no events: those of a rollout are not read."""

    def emit(self, event: Message) -> None:
        """Apply the event to the state."""
        self.evolve(self.state, event)


class Determinization:
    """All that is hidden from a seat drawn anew, and all draws to come fixed.

    Moves that are tried in the same one meet the same luck, so what is left between them is what
    they are worth (common random numbers).
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
        """Return how likely each seat wins when this move is made here, 0 to 1; together 1.

        careful: whether the rest of the turn is played with care (`SearchHooks.careful`).
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
    """Play by the rollout policy for as many turns as the game looks ahead, or to the end.

    choose: the policy by which the turn at hand is played to its end.
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

    seen: in how many determinizations it was tried.   ahead, squares: the sum of its differences to
    the favourite there, and of their squares.
    """

    move: Message
    seen: int = 0
    ahead: float = 0.0
    squares: float = 0.0

    @property
    def lead(self) -> float:
        """How much better it does than the favourite, on average; 0 if it was never tried."""
        return self.ahead / self.seen if self.seen else 0.0

    @property
    def does_the_same(self) -> bool:
        """Whether it has made no difference anywhere, such as two actions in another order."""
        return self.squares == 0.0

    def leads_by(self, errors: float, base: float = 0.0) -> bool:
        """Return whether its lead is more than so many standard errors above a base.

        errors: may be negative: then the lead may lie so far below.
        """
        if not self.seen:
            return False
        variance = max(_LEAST_VARIANCE, self.squares / self.seen - self.lead**2)
        return self.lead - base > errors * sqrt(variance / self.seen)

    def note(self, difference: float) -> None:
        """Note by how much it is likelier to win than the favourite in one more determinization."""
        self.seen += 1
        self.ahead += difference
        self.squares += difference**2


class Race:
    """The moves that are weighed; the first one is the favourite.

    It never drops out for being slow, only when the last challenger has surely won.

    runners: all of them. running: those still in the race, the favourite first. won: the sum of
    the favourite's win chances in all determinizations.
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
        """Note how likely each running move wins once more, and let the slow ones drop out."""
        favourite_chance = chances[0]
        self.won += favourite_chance
        for runner, chance in zip(self.running, chances, strict=True):
            runner.note(chance - favourite_chance)

        if self.favourite.seen >= _LEAST_SEEN:
            self._drop_out()

    def winner(self) -> Runner:
        """Return the move to play: the leader; of those that are level the first one."""
        return max(self.running, key=lambda runner: runner.lead)

    def win_chance(self, runner: Runner) -> float:
        """Return how likely a move wins, 0 to 1: as the favourite does, and its lead.

        The favourite was tried in all; one that dropped out early may have met better luck.
        The race must have begun.
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
    """Return whether a challenger may still prove to be the best move; the leader always may."""
    if challenger.does_the_same or not challenger.leads_by(-_BEHIND_THE_FAVOURITE):
        return False
    if challenger.seen < _SEEN_TO_LEAD:
        return True
    return challenger.leads_by(-_BEHIND_THE_LEADER, leader.lead)


def _has_surely_won(challenger: Runner) -> bool:
    """Return whether the last challenger is so far ahead that more time would be wasted."""
    return challenger.seen >= _SEEN_TO_LEAD and challenger.leads_by(_SURE)
