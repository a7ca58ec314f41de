"""What the creator of a match may choose."""

from domain.options import Number
from examples.ponte.components import MOST_IN_HAND

OPTIONS = (
    Number(
        name="hand",
        default=3,
        text="How many stones each seat holds (P4).",
        least=2,
        most=MOST_IN_HAND,
    ),
)
