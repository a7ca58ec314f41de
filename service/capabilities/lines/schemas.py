"""The body that tries a line."""

from marshmallow import fields

from service.api.contract.fields import Strict, characters, entries, whole_number
from service.capabilities.lines.use_cases import MOST_MOVES


class TryLineSchema(Strict):
    """Moves to try."""

    version = whole_number("Version at the start of the line.", 1, required=True)
    moves = fields.List(
        fields.Dict(keys=fields.String()),
        required=True,
        validate=entries(0, MOST_MOVES),
        metadata={
            "description": "The moves of all seats in turn, each as it may be posted, with "
            "its `seat`. The house acts by itself."
        },
    )
    seat = whole_number(
        "Seat of the view. Default: the caller's. Another seat only after the revelation.",
        0,
        load_default=lambda: None,
    )
    seed = fields.String(
        load_default=str,
        validate=characters(0, 200),
        metadata={
            "description": "Seed of all draws: the same line with another seed is another "
            "course of chance."
        },
    )
