"""The body that tries a line."""

from marshmallow import fields, validate

from service.api.contract.schemas import Strict
from service.capabilities.lines.use_cases import MOST_MOVES


class TryLineSchema(Strict):
    """Moves to be tried."""

    version = fields.Integer(
        required=True,
        strict=True,
        validate=validate.Range(min=1, error="must be at least 1"),
        metadata={"description": "The version that the line begins at."},
    )
    moves = fields.List(
        fields.Dict(keys=fields.String()),
        required=True,
        validate=validate.Length(max=MOST_MOVES),
        metadata={
            "description": "The moves of all seats in turn, each as it may be posted, with its "
            "`seat`. What the house does comes by itself."
        },
    )
    seat = fields.Integer(
        strict=True,
        load_default=lambda: None,
        validate=validate.Range(min=0, error="must be at least 0"),
        metadata={
            "description": "Whose eyes the line is seen with; the caller's if left out. Another "
            "seat's only once the match has ended."
        },
    )
    seed = fields.String(
        load_default=str,
        validate=validate.Length(max=200),
        metadata={
            "description": "What all draws follow from: the same line with another seed is another "
            "course of chance."
        },
    )
