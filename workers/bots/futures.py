"""Futures: a match played on in the head, and what comes of it for each seat."""

from collections.abc import Sequence
from math import exp
from typing import Any

from domain.chance import Chance, Light
from domain.foresight import Foresight, Habit
from domain.game import Draft, Game, Message

_SEEDS = 1 << 53


class Unkept(Draft[Any]):
    """A draft that keeps no events: nobody reads those of a future."""

    def emit(self, event: Message) -> None:
        """Apply the event to the state."""
        self.evolve(self.state, event)


class World:
    """All that is hidden from a seat drawn anew, and all draws to come fixed.

    Moves that are tried in the same world meet the same luck, so what is left between them is
    what they are worth (common random numbers).
    """

    __slots__ = ("_foresight", "_game", "_seed", "_state")

    def __init__(
        self,
        game: Game[Any],
        foresight: Foresight[Any],
        state: Any,
        seat: int,
        chance: Chance,
    ) -> None:
        self._game = game
        self._foresight = foresight
        self._state = game.imagine(state, seat, chance)
        self._seed = chance.below(_SEEDS)

    def win_chances(self, move: Message, *, careful: bool = False) -> Sequence[float]:
        """Return how likely each seat wins when this move is made here, 0 to 1; together 1.

        careful: whether the rest of the turn is played with care (`Foresight.careful`).
        """
        game = self._game
        foresight = self._foresight
        chance = Light(self._seed)
        draft = Unkept(self._state.copy(), game.evolve, chance)
        game.play(draft, move)

        choose = foresight.careful if careful else foresight.habit(draft.state)
        _play_some_turns(game, foresight, draft, choose, chance)
        return _win_chances(game, foresight, draft.state)


def _play_some_turns(
    game: Game[Any],
    foresight: Foresight[Any],
    draft: Draft[Any],
    choose: Habit[Any],
    chance: Chance,
) -> None:
    """Play by habit until so many turns are over as the game looks ahead, or the match is.

    choose: how the turn at hand is played to its end.
    """
    state = draft.state
    turns_left = foresight.turns_ahead(state)

    while actors := game.actors(state):
        if foresight.turn_begins(state):
            turns_left -= 1
            if turns_left <= 0:
                return
            choose = foresight.habit(state)

        move = choose(state, actors[0], chance)
        game.play(draft, move)


def _win_chances(game: Game[Any], foresight: Foresight[Any], state: Any) -> Sequence[float]:
    """Return how likely each seat wins: as the match has ended, or as its prospects are."""
    outcome = game.outcome(state)
    if outcome is not None:
        winners = outcome.ranks.count(1)
        return [1 / winners if rank == 1 else 0.0 for rank in outcome.ranks]

    prospects = foresight.prospects(state)
    return _softmax(prospects, foresight.doubt(state))


def _softmax(prospects: Sequence[float], doubt: float) -> Sequence[float]:
    """Return chances that grow by the factor e with every `doubt` points."""
    best = max(prospects)
    weights = [exp((points - best) / doubt) for points in prospects]
    total = sum(weights)
    return [weight / total for weight in weights]
