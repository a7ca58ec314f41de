"""The games over HTTP, with their options."""

from typing import assert_never

from flask import Blueprint, Response

from domain.game import AnyGame
from domain.games import GAMES
from domain.options import Choice, Data, Flag, Number, Option
from service.api import links, problems
from service.api.contract.operations import UNCHANGED, AnswerSpec, operation
from service.api.contract.parameters import IF_NONE_MATCH
from service.api.http import responses
from service.base import answers
from service.base.errors import NotFound
from service.matches import bots as match_bots, moves

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
        200: AnswerSpec("All games.", answers.GameList, headers=("ETag",)),
        304: UNCHANGED,
    },
)
def list_games(if_none_match: set[str]) -> Response:
    """List the games with their options."""
    documents = [document(game) for game in GAMES.values()]
    return responses.by_content({"games": documents}, _KEEP, if_none_match)


@games.get("/<game>")
@operation(
    "getGame",
    "Look at a game",
    tag="games",
    tokens="none",
    parameters=(IF_NONE_MATCH,),
    answers={
        200: AnswerSpec("The game.", answers.Game, headers=("ETag",)),
        304: UNCHANGED,
    },
    problems=(problems.NOT_FOUND,),
)
def show_game(game: str, if_none_match: set[str]) -> Response:
    """Show a game's seats, options, bot levels and moves."""
    if game not in GAMES:
        raise NotFound(f"there is no such game. Games: {', '.join(GAMES)}")
    return responses.by_content(document(GAMES[game]), _KEEP, if_none_match)


def document(game: AnyGame) -> answers.Game:
    """Return the choices and moves of a game."""
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


def _option(option: Option) -> answers.Option:
    about: answers.Option = {"name": option.name, "text": option.text}
    match option:
        case Choice(default=chosen, choices=choices):
            return answers.ChoiceOption(
                **about, kind="choice", default=chosen, choices=list(choices)
            )
        case Flag(default=is_on):
            return answers.FlagOption(**about, kind="flag", default=is_on)
        case Number(default=number, least=least, most=most):
            return answers.NumberOption(
                **about, kind="number", default=number, least=least, most=most
            )
        case Data(default=data):
            return answers.DataOption(**about, kind="data", default=data)
        case _:
            assert_never(option)
