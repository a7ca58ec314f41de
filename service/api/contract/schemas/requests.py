"""The shapes of what opens, joins and changes a match."""

from collections.abc import Iterable
from typing import Any, ClassVar, assert_never

from marshmallow import EXCLUDE, Schema, ValidationError, fields, validate

from domain.game import Game
from domain.options import Choice, Data, Flag, Number, Option
from service.api.contract.schemas import messages
from service.api.contract.schemas.fields import Component, Strict, camel, make_schema
from service.matches import bots

# §§§ service.api.contract.schemas.requests


MOST_SEATS = 16
HOLDER = r"owner|spectator|invitation|seat:[0-9]{1,2}"

# The patterns say $(?!\n) because $ also matches before a line feed at the end.
_NAME = (
    validate.Length(1, 60),
    validate.Regexp(r"^[^\x00-\x1f\x7f-\x9f]*$(?!\n)", error="must hold no control characters"),
)
_ENTROPY = validate.Regexp(r"^([0-9a-f]{2}){1,32}$(?!\n)", error="must be 1 to 32 bytes in hex")
_HOLDER = validate.Regexp(
    rf"^(?:{HOLDER})$(?!\n)", error="must be owner, spectator, invitation or seat:N"
)


def _name(**more: Any) -> fields.String:
    about = {"description": "The human's name, kept outside the hash chain."}
    return fields.String(validate=_NAME, metadata=about, **more)


def _entropy(**more: Any) -> fields.String:
    about = {"description": "Bytes in hex that go into the seed of every draw (M10)."}
    return fields.String(validate=_ENTROPY, metadata=about, **more)


def _level() -> fields.String:
    about = {"description": "How the bot chooses: one of the `levels` of the game."}
    return fields.String(
        validate=validate.OneOf(bots.NAMES), load_default=bots.DEFAULT, metadata=about
    )


def _kind(kind: str) -> fields.String:
    about = {"description": "How the seat begins."}
    return fields.String(required=True, validate=validate.OneOf([kind]), metadata=about)


class HumanSeatSchema(Strict):
    """A seat that a human holds from the beginning; the answer has its token."""

    kind = _kind("human")
    name = _name()
    entropy = _entropy()


class BotSeatSchema(Strict):
    """A seat that a bot holds."""

    kind = _kind("bot")
    level = _level()
    name = _name()


class OpenSeatSchema(Strict):
    """A seat for whoever joins."""

    kind = _kind("open")


class SeatPlan(Component):
    """How a seat begins: one of three schemas, told apart by `kind`."""

    KINDS: ClassVar[dict[str, Schema]] = {
        "human": HumanSeatSchema(),
        "bot": BotSeatSchema(),
        "open": OpenSeatSchema(),
    }

    def __init__(self, **more: Any) -> None:
        super().__init__("SeatPlan", **more)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("must be an object")
        kind = value.get("kind")
        if not isinstance(kind, str) or kind not in self.KINDS:
            raise ValidationError({"kind": [f"must be one of {', '.join(self.KINDS)}"]})
        return self.KINDS[kind].load(value)


class Seats(fields.List[Any]):
    """The plans of all seats; far too many are refused before each is looked at."""

    def _deserialize(self, value: Any, *more: Any, **named: Any) -> list[Any]:
        if isinstance(value, list) and len(value) > MOST_SEATS:
            raise ValidationError(f"must be a list of at most {MOST_SEATS}")
        loaded: list[Any] = super()._deserialize(value, *more, **named)
        return loaded


class FlagField(fields.Boolean):
    """True or false; no word or number stands for either."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("must be true or false")
        return value


class OpenMatchSchema(Strict):
    """A match to be opened."""

    game = fields.String(required=True, metadata={"description": "The game's key."})
    seats = Seats(
        SeatPlan(),
        required=True,
        validate=validate.Length(1, MOST_SEATS),
        metadata={"description": "How each seat begins, seat 0 first."},
    )
    options = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={"description": "The options to play with; what is left out has its default."},
    )
    visibility = fields.String(
        validate=validate.OneOf(["public", "private"]),
        load_default="public",
        metadata={"description": "A private match shows itself only to its tokens."},
    )
    # False by default. The contract does not tell it, since generated clients take what has a
    # default for something that must be sent.
    advice = FlagField(
        load_default=bool,
        metadata={
            "description": "Whether humans may ask for advice (M14); all are told. "
            "It takes a game with `strong` bots."
        },
    )
    seed = fields.String(
        validate=validate.Length(1, 200),
        metadata={"description": "Fixes every draw; taken only by a server that is set up for it."},
    )


class JoinSchema(Strict):
    """Who takes a seat."""

    # What is left out is read as "". The default is a callable, so that the contract does not
    # tell it: a client that sends "" is refused.
    name = _name(load_default=str)
    entropy = _entropy(load_default=str)


class BotSchema(Strict):
    """The bot that is to hold a seat."""

    level = _level()


class RotateSchema(Strict):
    """Whose token is to be replaced."""

    holder = fields.String(
        validate=_HOLDER,
        load_default=lambda: None,
        metadata={"description": "The caller's own unless told otherwise."},
    )


# §§§ service.api.contract.schemas.requests
# Marshmallow schemas of a game's options, derived from the options themselves.


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
            name = messages.component_name(camel(game.key), form)
            return Component(name, required=required, metadata=about)
        case _:
            assert_never(option)
