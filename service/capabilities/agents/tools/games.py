"""The tools for newcomers: games and rules."""

from typing import Annotated, TypedDict

from marshmallow import ValidationError, fields

from domain.games import GAMES
from domain.json_types import Json
from service.api.contract.fields import Strict, characters
from service.api.routes import games as game_routes
from service.api.rulebooks import EVERYTHING, excerpt, headings_of, rulebooks
from service.base import answers
from service.base.errors import Invalid, Mistake
from service.capabilities.agents.tools.tool import tool


def _has_rules(game: str) -> None:
    if game not in rulebooks():
        raise ValidationError(f"must be one of {', '.join(rulebooks())}")


class RulesSchema(Strict):
    """A part of the rules."""

    game = fields.String(
        required=True,
        validate=_has_rules,
        metadata={"description": "A game, or `match` for what holds in every match."},
    )
    about = fields.String(
        validate=characters(0, 100),
        load_default=str,
        metadata={
            "description": f"A rule's number, a part's title, or `{EVERYTHING}`. Left out: the "
            "course of the game."
        },
    )


class RulesText(TypedDict):
    """Rules, or a part of them."""

    game: Annotated[str, "Game of the rules."]
    text: Annotated[str, "The rules, in Markdown."]
    parts: Annotated[list[str], "The titles of all parts, to ask for one by `about`."]


@tool("rules", "Read the rules", RulesSchema)
def read_rules(game: str, about: str) -> RulesText:
    """Read the course of a game, or with `about` the numbered rules that refusals name."""
    books = rulebooks()
    text = excerpt(game, about)
    titles = [heading.title for heading in headings_of(books[game].rules)]
    parts = [EVERYTHING, *titles]
    if text is None:
        detail = f"must be the number of a rule, or one of {'; '.join(parts)}"
        raise Invalid(Mistake("/about", detail))
    return {"game": game, "text": text.strip(), "parts": parts}


class GamesSchema(Strict):
    """No arguments."""


class GameSummary(TypedDict):
    """A game that can be opened."""

    key: Annotated[str, "Key of the game."]
    title: Annotated[str, "Name of the game."]
    seats: Annotated[list[int], "Possible numbers of seats."]
    options: Annotated[list[Json], "Options of a match, each with its default."]
    bots: Annotated[list[answers.Level], "Levels of the game's bots, the weakest first."]
    moves: Annotated[list[str], "Types of the game's moves."]


class GameSummaries(TypedDict):
    """All games."""

    games: Annotated[list[GameSummary], "The games."]


@tool("games", "List the games", GamesSchema)
def list_games() -> GameSummaries:
    """List the games that can be opened: seats, options, levels of bots."""
    return {"games": [_summary(game_routes.document(game)) for game in GAMES.values()]}


def _summary(game: answers.Game) -> GameSummary:
    """Return the summary of a game, without the defaults of `data` options, which are long."""
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
