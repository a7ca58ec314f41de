"""The registry: the one place that lists the games."""

from typing import Any

from domain.game import Game

GAMES: dict[str, Game[Any]] = {}
