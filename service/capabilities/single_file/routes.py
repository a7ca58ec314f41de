"""The page of any match of a game over HTTP, for browsers that save a match."""

from functools import cache

from flask import Blueprint

from domain.games import GAMES
from service.api.http.responses import Response
from service.api.page.assets import Asset, tree
from service.api.routes.pages import static_file
from service.base.errors import NotFound
from service.capabilities.single_file import page

single_file = Blueprint("single_file", __name__)


@single_file.get("/static/<digest>/single/<game>.txt")
def empty_file(digest: str, game: str) -> Response:
    """Answer the page in which a browser saves a match of a game.

    The page is served as a text, since no match is in it.
    """
    if digest != tree().digest or game not in GAMES:
        raise NotFound("this file belongs to another release of the service. Load the page again")
    return static_file(_empty_file(game))


@cache
def _empty_file(game: str) -> Asset:
    return Asset(f"single/{game}.txt", page.empty_file(game))
