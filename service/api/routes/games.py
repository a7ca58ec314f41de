"""The games over HTTP: what can be opened, with which options."""

from typing import Any

from flask import Blueprint, Response

from domain.game import Game
from domain.games import GAMES
from domain.options import Choice, Number, Option
from service.api import links, problems
from service.api.contract.operations import UNCHANGED, Answer, operation
from service.api.contract.parameters import IF_NONE_MATCH
from service.api.http import responses
from service.errors import NotFound
from service.matches import bots as match_bots
from service.matches import moves

games = Blueprint("games", __name__, url_prefix="/v1/games")

_KEEP = {"Cache-Control": "public, max-age=300"}


@games.get("")
@operation(
    "listGames",
    "List the games",
    tag="games",
    tokens="none",
    parameters=(IF_NONE_MATCH,),
    answers={
        200: Answer("All games.", "GameList", headers=("ETag",)),
        304: UNCHANGED,
    },
)
def list_games(if_none_match: set[str]) -> Response:
    """List the games with their options."""
    described = [_described(game) for game in GAMES.values()]
    return responses.by_content({"games": described}, _KEEP, if_none_match)


@games.get("/<game>")
@operation(
    "getGame",
    "Look at a game",
    tag="games",
    tokens="none",
    parameters=(IF_NONE_MATCH,),
    answers={
        200: Answer("The game.", "Game", headers=("ETag",)),
        304: UNCHANGED,
    },
    problems=(problems.NOT_FOUND,),
)
def show_game(game: str, if_none_match: set[str]) -> Response:
    """Tell a game's seats, options, bot levels and moves."""
    if game not in GAMES:
        raise NotFound(f"there is no such game; there are {', '.join(GAMES)}")
    return responses.by_content(_described(GAMES[game]), _KEEP, if_none_match)


def _described(game: Game[Any]) -> dict[str, Any]:
    bots = match_bots.offered(game)
    return {
        "key": game.key,
        "title": game.title,
        "rules": game.rules,
        "rules_url": links.rules(game.key),
        "seats": list(game.seats),
        "options": [_option(option) for option in game.options],
        "levels": list(bots),
        "bots": [{"level": level, "about": about} for level, about in bots.items()],
        "moves": list(moves.player_commands(game)),
    }


def _option(option: Option) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": option.name,
        "kind": option.kind,
        "default": option.default,
        "text": option.text,
    }
    if isinstance(option, Choice):
        described["choices"] = list(option.choices)
    if isinstance(option, Number):
        described["least"] = option.least
        described["most"] = option.most
    return described
