"""The level "random": any legal move."""

from typing import Any

from domain.chance import Chance
from domain.game import Game
from workers.bots.thinking import Budget, Thought


def think(game: Game[Any], imagined: Any, seat: int, chance: Chance, _budget: Budget) -> Thought:
    """Return a random legal move."""
    return Thought(game.random_move(imagined, seat, chance))
