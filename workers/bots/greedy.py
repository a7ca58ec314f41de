"""The level "greedy": the move that looks best at once."""

from typing import Any

from domain.chance import Chance
from domain.game import Game
from workers.bots.thinking import Budget, Thought


def think(game: Game[Any], imagined: Any, seat: int, chance: Chance, _budget: Budget) -> Thought:
    """Return the move that the game advises."""
    return Thought(game.advise(imagined, seat, chance))
