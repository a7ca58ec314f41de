"""The job of the queue "bots": a bot's turn, thought up by the player of its level."""

from collections.abc import Callable, Mapping
from typing import Any

from domain.chance import Chance
from domain.game import Game
from service.matches import house
from service.matches.desk import Desk
from service.matches.failing import failures_noted
from workers import context
from workers.bots import greedy, random

Player = Callable[[Game[Any], Any, int, Chance], Any]

LEVELS: Mapping[str, Player] = {"random": random.choose, "greedy": greedy.choose}


def play(match_id: str) -> None:
    """Make the moves of the match's bots until somebody else must act, at this process's desk."""
    play_at(context.desk(), match_id)


def play_at(desk: Desk, match_id: str) -> None:
    """Make the moves of the match's bots; a failure is noted of the match.

    A match that has failed comes here whoever must act in it, so the house may act as well.
    """
    with failures_noted(desk, match_id):
        house.go_on(desk, match_id, choose)


def choose(level: str, game: Game[Any], imagined: Any, seat: int, chance: Chance) -> Any:
    """Return the command that a bot of this level gives on a state imagined for its seat."""
    return LEVELS[level](game, imagined, seat, chance)
