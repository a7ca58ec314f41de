"""Bots: the player of each level, and the job for their moves."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from time import monotonic

from redis.exceptions import RedisError

from service.matches import automation
from service.matches.automation import failures_noted
from service.matches.bots import Turn
from service.matches.context import Context
from service.store.jobs.table import BOTS
from workers import process
from workers.bots import players, search
from workers.bots.players import UNHURRIED, Budget, MoveChoice, Player, TimeBudget, time_budget

LEVELS: Mapping[str, tuple[Player, Budget]] = {
    "random": (players.think_randomly, Budget(seconds=0.0)),
    "greedy": (players.think_greedily, Budget(seconds=0.0)),
    "quick": (search.think, Budget(seconds=0.1)),
    "strong": (search.think, Budget(seconds=1.0, careful=True)),
}
"""The player and the budget for a move of each level."""


def play(match_id: str) -> None:
    """Make the moves of a match's bots for a while, with this process's context."""
    ctx = process.ctx()
    play_with(ctx, match_id, time_budget(_waiting(), ctx.unhurried, monotonic))


def _waiting() -> int:
    """Return the number of queued matches of humans with bots. 0 if Redis fails."""
    with suppress(RedisError):
        return process.queues().depth(BOTS)
    return 0


def play_with(ctx: Context, match_id: str, time: TimeBudget = UNHURRIED) -> None:
    """Make the moves of a match's bots. A failure is noted at the match.

    Failed matches come here as well, and some of them await the house. So `go_on` lets the bots or
    the house act.
    """
    with failures_noted(ctx, match_id):
        automation.go_on(ctx, match_id, partial(choose, time=time), time.left)


def choose(turn: Turn, time: TimeBudget = UNHURRIED) -> MoveChoice:
    """Return the choice of a bot of the turn's level, within the time of the job."""
    _player, usual_budget = LEVELS[turn.level]
    return think(turn, time.of_move(usual_budget, turn.seconds))


def think(turn: Turn, budget: Budget) -> MoveChoice:
    """Return the choice of a bot of the turn's level within a budget."""
    player, _usual_budget = LEVELS[turn.level]
    return player(turn.game, turn.imagined, turn.seat, turn.chance, budget)
