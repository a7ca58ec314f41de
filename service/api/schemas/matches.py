"""The shapes of requests that open a match."""

from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load, validate, validates_schema

from service.matches.opening import LEVELS

_NAME = validate.And(
    validate.Length(1, 60), validate.Regexp(r"^[^\x00-\x1f\x7f]*$", error="must hold no control characters")
)


class SeatPlanSchema(Schema):
    """How a seat begins."""

    kind = fields.String(required=True, validate=validate.OneOf(["human", "bot", "open"]))
    level = fields.String(validate=validate.OneOf(LEVELS))
    name = fields.String(validate=_NAME)
    entropy = fields.String(validate=validate.Regexp(r"^([0-9a-f]{2}){1,32}$", error="must be 1 to 32 bytes in hex"))

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
    visibility = fields.String(validate=validate.OneOf(["public", "private"]), load_default="public")
    seed = fields.String(validate=validate.Length(1, 200))
