"""The level "random": any legal move."""

from typing import Any

from domain.chance import Chance
from domain.game import Game


def choose(game: Game[Any], imagined: Any, seat: int, chance: Chance) -> Any:
    """Return a random legal move."""
    return game.random_move(imagined, seat, chance)
