"""The answer with a curve."""

from typing import Annotated, TypedDict

from service.base.answers import Chance, Count, Version


class CurvePoint(TypedDict):
    """Chances at the start of a turn, or at the end."""

    version: Annotated[Version, "The version."]
    win_chances: Annotated[list[Chance], "Chance of each seat to win, seat 0 first."]


# A class cannot declare the member `from`, because `from` is a keyword of Python.
_Between = TypedDict(
    "_Between",
    {
        "from": Annotated[Version, "Version of the earlier point."],
        "to": Annotated[Version, "Version of the next point."],
    },
)


class TurningPoint(_Between):
    """A large change of chances from one point of the curve to the next."""

    seat: Annotated[Count, "Seat with the largest change of its chance to win."]
    chance_before: Annotated[Chance, "The seat's chance to win at `from`."]
    chance_after: Annotated[Chance, "The seat's chance to win at `to`."]


class Curve(TypedDict):
    """Chances to win from turn to turn, as bots value positions with everything known."""

    points: Annotated[
        list[CurvePoint],
        "One for each start of a turn with changed chances, and one for the end. [] "
        "for a game without a bot that can value positions.",
    ]
    turning_points: Annotated[
        list[TurningPoint], "The largest changes of at least 0.1, five at most, in order."
    ]
