"""Marshmallow schemas of a game's options, derived from the options themselves."""

from collections.abc import Iterable
from typing import Any, assert_never

from marshmallow import EXCLUDE, Schema, fields, validate

from domain.game import Game
from domain.options import Choice, Data, Flag, Number, Option
from service.api.contract.schemas import described
from service.api.contract.schemas.base import Component, camel, make_schema


def open_options(game: Game[Any]) -> type[Schema]:
    """Return the schema of the options that a match is opened with, none of them required."""
    members = {option.name: _field(game, option, required=False) for option in game.options}
    text = f"The options of {game.title}."
    return make_schema(f"{camel(game.key)}Options", text, members)


def settled_options(game: Game[Any], always: Iterable[str]) -> type[Schema]:
    """Return the schema of the options of a match that was opened.

    always: the options that every match of the game has; they are required.
    """
    members = {
        option.name: _field(game, option, required=option.name in always) for option in game.options
    }
    text = f"The options that a match of {game.title} is played with."
    return make_schema(f"{camel(game.key)}MatchOptions", text, members, unknown=EXCLUDE)


def _field(game: Game[Any], option: Option, *, required: bool) -> fields.Field[Any]:
    """Return the field of one option; what is not required has a default."""
    about: dict[str, Any] = {"description": option.text}
    # The default of data is long; the game itself tells it.
    if not required and not isinstance(option, Data):
        about["default"] = option.default

    match option:
        case Choice(choices=choices):
            one_of = validate.OneOf(choices)
            return fields.String(validate=one_of, required=required, metadata=about)
        case Flag():
            return fields.Boolean(required=required, metadata=about)
        case Number(least=least, most=most):
            in_range = validate.Range(least, most)
            return fields.Integer(validate=in_range, required=required, metadata=about)
        case Data(form=form):
            name = described.named(camel(game.key), form)
            return Component(name, required=required, metadata=about)
        case _:
            assert_never(option)
