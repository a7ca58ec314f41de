"""What the creator of a match may choose."""

from domain.calimala.components import Edition, Layout
from domain.kit import wire_names
from domain.options import Choice

OPTIONS = (
    Choice(
        name="edition",
        default="english",
        text=(
            "Whose rule says how a white fourth disc is exchanged "
            "without a coloured disc in reserve (C33)."
        ),
        choices=wire_names(Edition),
    ),
    Choice(
        name="layout",
        default="random",
        text="Whether the action tiles are shuffled or laid out as for a first game (C4).",
        choices=wire_names(Layout),
    ),
)
