"""The registry: the one place that lists the games."""

from typing import Any

from domain import calimala, firenze
from domain.game import Game

# Every rules version ever released stays here, oldest first: its matches are replayed by it for ever.
RELEASED: tuple[Game[Any], ...] = (calimala.GAME, firenze.GAME)

GAMES: dict[str, Game[Any]] = {
    game.key: game for game in RELEASED
}  # the newest rules of each game, for new matches
RULES: dict[str, Game[Any]] = {
    game.rules: game for game in RELEASED
}  # by rules version, for matches that exist
