"""The job of the queue "bots": a bot's turn, thought up by the player of its level."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from time import monotonic

from redis.exceptions import RedisError

from service.jobs.queues import BOTS
from service.matches import automation
from service.matches.automation import failures_noted
from service.matches.bots import Turn
from service.matches.context import Context
from workers import context
from workers.bots import players, search
from workers.bots.players import UNHURRIED, Budget, Pace, Player, Thought, pace

LEVELS: Mapping[str, tuple[Player, Budget]] = {
    "random": (players.think_randomly, Budget(seconds=0.0)),
    "greedy": (players.think_greedily, Budget(seconds=0.0)),
    "quick": (search.think, Budget(seconds=0.1)),
    "strong": (search.think, Budget(seconds=1.0, careful=True)),
}
"""Who plays each level, and how long it thinks about a move."""


def play(match_id: str) -> None:
    """Make the moves of the match's bots until somebody else must act, at this process's desk."""
    ctx = context.ctx()
    play_at(ctx, match_id, pace(_waiting(), ctx.unhurried, monotonic))


def _waiting() -> int:
    """Return how many matches in which humans sit wait for a worker of the bots."""
    with suppress(RedisError):
        return context.queues().depth(BOTS)
    return 0


def play_at(ctx: Context, match_id: str, at_pace: Pace = UNHURRIED) -> None:
    """Make the moves of the match's bots; a failure is noted of the match.

    A match that has failed comes here whoever must act in it, so the house may act as well.

    at_pace: how long they may think.
    """
    with failures_noted(ctx, match_id):
        automation.go_on(ctx, match_id, partial(choose, at_pace=at_pace), at_pace.left)


def choose(turn: Turn, at_pace: Pace = UNHURRIED) -> Thought:
    """Return what a bot of the turn's level thinks about it, at a pace."""
    _player, usual_budget = LEVELS[turn.level]
    return think(turn, at_pace.budget(usual_budget, turn.seconds))


def think(turn: Turn, budget: Budget) -> Thought:
    """Return what a bot of the turn's level thinks about it within a budget."""
    player, _usual_budget = LEVELS[turn.level]
    return player(turn.game, turn.imagined, turn.seat, turn.chance, budget)
