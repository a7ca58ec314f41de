"""The games: what can be opened, with which options."""

from typing import Any

from flask import Blueprint, Response

from domain.game import Game, Option
from domain.games import GAMES
from service.api.answers import answer
from service.errors import NotFound
from service.matches import playing
from service.matches.opening import LEVELS

games = Blueprint("games", __name__, url_prefix="/v1/games")


@games.get("")
def list_games() -> Response:
    """Answer all games."""
    return answer({"games": [_described(game) for game in GAMES.values()]})


@games.get("/<game>")
def show_game(game: str) -> Response:
    """Answer one game: seats, options, bot levels, moves."""
    if game not in GAMES:
        raise NotFound(f"there is no game {game!r}; there are {', '.join(GAMES)}")
    return answer(_described(GAMES[game]))


def _described(game: Game[Any]) -> dict[str, Any]:
    return {
        "key": game.key, "title": game.title, "rules": game.rules, "seats": list(game.seats),
        "options": [_option(option) for option in game.options], "levels": list(LEVELS),
        "moves": list(playing.player_commands(game)),
    }  # fmt: skip


def _option(option: Option) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": option.name, "kind": option.kind, "default": option.default, "text": option.text}
    if option.kind == "choice":
        shown["choices"] = list(option.choices)
    if option.kind == "number":
        shown |= {"least": option.least, "most": option.most}
    return shown
