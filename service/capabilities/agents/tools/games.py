"""The tools of someone new: games and rules."""

from typing import Annotated, TypedDict

from marshmallow import fields, validate

from domain.games import GAMES
from domain.json_types import Json
from service.api.contract.parameters import Words
from service.api.contract.schemas import Strict
from service.api.routes import games as game_routes
from service.api.rulebooks import EVERYTHING, excerpt, headings_of, rulebooks
from service.base import answers
from service.base.errors import NotFound, echoed
from service.capabilities.agents.tools.arguments import text_field
from service.capabilities.agents.tools.tool import tool


class RulesSchema(Strict):
    """Which rules."""

    game = text_field(
        Words("[a-z0-9_]{1,40}", "must be the key of a game, or match"),
        "A game, or `match` for what holds in every match.",
        required=True,
    )
    about = fields.String(
        validate=validate.Length(max=100),
        load_default=str,
        metadata={
            "description": f"A rule's number, a part's title, or `{EVERYTHING}`; left out: how the "
            "game goes."
        },
    )


class RulesText(TypedDict):
    """Rules, or a part of them."""

    game: Annotated[str, "Whose rules."]
    text: Annotated[str, "The rules, in Markdown."]
    parts: Annotated[list[str], "The titles of all parts, to ask for one by `about`."]


@tool("rules", "Read the rules", RulesSchema)
def read_rules(game: str, about: str) -> RulesText:
    """Read how a game goes, or with `about` the numbered rules that refusals name."""
    books = rulebooks()
    if game not in books:
        raise NotFound(f"there are no such rules; there are {', '.join(books)}")

    text = excerpt(game, about)
    titles = [heading.title for heading in headings_of(books[game].read_text())]
    parts = [EVERYTHING, *titles]
    if text is None:
        raise NotFound(f"no rule or part is called {echoed(about)}; parts are {'; '.join(parts)}")
    return {"game": game, "text": text.strip(), "parts": parts}


class GamesSchema(Strict):
    """Nothing has to be said."""


class GameSummary(TypedDict):
    """A game that can be opened."""

    key: Annotated[str, "Its key."]
    title: Annotated[str, "Its name."]
    seats: Annotated[list[int], "How many seats it takes."]
    options: Annotated[list[Json], "What can be chosen for a match, each with its default."]
    bots: Annotated[list[answers.Level], "The levels of its bots, the weakest first."]
    moves: Annotated[list[str], "The types of its moves."]


class GameSummaries(TypedDict):
    """All games."""

    games: Annotated[list[GameSummary], "The games."]


@tool("games", "List the games", GamesSchema)
def list_games() -> GameSummaries:
    """List the games that can be opened: seats, options, levels of bots."""
    return {"games": [_summary(game_routes.document(game)) for game in GAMES.values()]}


def _summary(game: answers.Game) -> GameSummary:
    """Return a game without the defaults of its options that are data, which are long."""
    options: list[Json] = [dict(option) for option in game["options"]]
    for option in options:
        if option["kind"] == "data":
            option.pop("default")
    return {
        "key": game["key"],
        "title": game["title"],
        "seats": game["seats"],
        "options": options,
        "bots": game["bots"],
        "moves": game["moves"],
    }
