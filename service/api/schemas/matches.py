"""The shapes of what opens, joins and changes a match."""

from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load, validate, validates_schema

from service.matches.opening import LEVELS

_NAME = (
    validate.Length(1, 60),
    validate.Regexp(r"^[^\x00-\x1f\x7f]*$", error="must hold no control characters"),
)
_ENTROPY = validate.Regexp(r"^([0-9a-f]{2}){1,32}$", error="must be 1 to 32 bytes in hex")
HOLDER = r"owner|spectator|invitation|seat:[0-9]{1,2}"


def _name() -> fields.String:
    return fields.String(validate=_NAME, metadata={"description": "The human's name, kept outside the hash chain."})


def _entropy() -> fields.String:
    return fields.String(
        validate=_ENTROPY, metadata={"description": "Bytes in hex that go into the seed of every draw (M10)."}
    )


class SeatPlanSchema(Schema):
    """How a seat begins: held by a human, by a bot of a level, or open for whoever joins."""

    kind = fields.String(required=True, validate=validate.OneOf(["human", "bot", "open"]))
    level = fields.String(validate=validate.OneOf(LEVELS), metadata={"description": "Of a bot; the best by default."})
    name = _name()
    entropy = _entropy()

    @validates_schema
    def _fits_its_kind(self, data: dict[str, Any], **_: Any) -> None:
        allowed = {"human": {"name", "entropy"}, "bot": {"name", "level"}, "open": set[str]()}[data["kind"]]
        for name in data.keys() - allowed - {"kind"}:
            raise ValidationError(f"does not belong to a seat of kind {data['kind']}", name)

    @post_load
    def _level(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {"level": LEVELS[-1], **data} if data["kind"] == "bot" else data


class OpenMatchSchema(Schema):
    """A match to be opened."""

    game = fields.String(required=True)
    seats = fields.List(fields.Nested(SeatPlanSchema), required=True, validate=validate.Length(1, 16))
    options = fields.Dict(keys=fields.String(), load_default=dict)
    visibility = fields.String(
        validate=validate.OneOf(["public", "private"]),
        load_default="public",
        metadata={"description": "A private match shows itself only to its tokens."},
    )
    seed = fields.String(
        validate=validate.Length(1, 200),
        metadata={"description": "Fixes every draw; taken only by a server that is set up for it."},
    )


class JoinSchema(Schema):
    """Who takes a seat."""

    name = fields.String(validate=_NAME, load_default="", metadata={"description": "Kept outside the hash chain."})
    entropy = fields.String(
        validate=_ENTROPY, load_default="", metadata={"description": "Bytes in hex for every draw's seed (M10)."}
    )


class BotSchema(Schema):
    """The bot that is to hold a seat."""

    level = fields.String(validate=validate.OneOf(LEVELS), load_default=LEVELS[-1])


class RotateSchema(Schema):
    """Whose token is to be replaced."""

    holder = fields.String(
        validate=validate.Regexp(rf"^(?:{HOLDER})$", error="must be owner, spectator, invitation or seat:N"),
        load_default=None,
        metadata={"description": "The caller's own unless told otherwise."},
    )
