"""Answers about games: what can be played, with which options."""

from marshmallow import fields

from service.api.contract.schemas import shape
from service.api.contract.schemas.shape import Answer


def _option_kind(kind: str) -> fields.String:
    return shape.one_word("What its values are.", (kind,))


class OptionSchema(Answer):
    """An option of a game, told apart by `kind`."""

    name = shape.text("Its name.")
    text = shape.text("What it decides.")


class ChoiceOptionSchema(OptionSchema):
    """An option whose value is one of a few."""

    kind = _option_kind("choice")
    default = shape.text("The value if none is given.")
    choices = shape.texts("The values to choose from.")


class FlagOptionSchema(OptionSchema):
    """An option that is on or off."""

    kind = _option_kind("flag")
    default = shape.flag("The value if none is given.")


class NumberOptionSchema(OptionSchema):
    """An option whose value is a whole number."""

    kind = _option_kind("number")
    default = shape.number("The value if none is given.")
    least = shape.number("The least that it may be.")
    most = shape.number("The most that it may be.")


class DataOptionSchema(OptionSchema):
    """An option whose value is an object, checked as a whole when a match is opened."""

    kind = _option_kind("data")
    default = shape.component("OptionData", "The value if none is given.")


class LevelSchema(Answer):
    """A level of bots, for players to choose from."""

    level = shape.text("Its name.")
    about = shape.text("How such a bot plays, in a sentence.")


class GameSchema(Answer):
    """A game that can be opened."""

    key = shape.text("Its key.")
    title = shape.text("Its name.")
    rules = shape.text("The version of its rules that new matches are played by.")
    rules_url = shape.text("Where its rules are, numbered.")
    seats = shape.numbers("How many seats it takes.")
    options = shape.components("Option", "What can be chosen for a match.")
    levels = shape.texts("The levels of its bots, the weakest first.")
    bots = shape.many(LevelSchema, "The same levels, described for players.")
    moves = shape.texts("The types of its moves.")


class GameListSchema(Answer):
    """All games."""

    games = shape.many(GameSchema, "The games.")
