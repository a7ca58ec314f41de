"""The answer with a curve."""

from typing import Annotated, TypedDict

from service.base.answers import Chance, Count, Version


class CurvePoint(TypedDict):
    """How a match stood where a turn began, or at its end."""

    version: Annotated[Version, "The version."]
    win_chances: Annotated[list[Chance], "How likely each seat was to win, seat 0 first."]


# `from` is a keyword of Python.
_Between = TypedDict(
    "_Between",
    {
        "from": Annotated[Version, "Where the turn began."],
        "to": Annotated[Version, "Where the next one began."],
    },
)


class TurningPoint(_Between):
    """A turn in which much changed."""

    seat: Annotated[Count, "The seat whose chance changed the most."]
    chance_before: Annotated[Chance, "Its chance to win before the turn."]
    chance_after: Annotated[Chance, "Its chance to win after it."]


class Curve(TypedDict):
    """Who was likely to win, from turn to turn, as bots value positions of which all is known."""

    points: Annotated[
        list[CurvePoint],
        "One where a turn begins and the chances have changed, and one for the end; [] for a game "
        "whose positions no bot can value.",
    ]
    turning_points: Annotated[list[TurningPoint], "The turns that changed the most, five at most."]
