"""The level "greedy": the move that looks best at once."""

from typing import Any

from domain.chance import Chance
from domain.game import Game


def choose(game: Game[Any], imagined: Any, seat: int, chance: Chance) -> Any:
    """Return the move that the game advises."""
    return game.advise(imagined, seat, chance)
