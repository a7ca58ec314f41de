"""What a board holds: the JSON of the option `board` (F4)."""

from typing import Annotated, Literal, NotRequired, TypedDict

from domain.described import EVERY_NAME, Between
from domain.firenze.components import HIGHEST, LOWEST
from domain.firenze.view_types import CardName, ColourName, Numeral

MOST_POINTS = 99
ALL_CARDS = 52
START_CARDS = 10
BALCONIES = 19

Mark = Literal["page", "board", "assumed"]


class BoardPoints(TypedDict):
    """Points printed on the board."""

    points: Annotated[int, Between(0, MOST_POINTS), "The points."]
    mark: NotRequired[
        Annotated[
            Mark,
            'Where the value is from: the rules page, a real board ("board" if left out), a guess.',
        ]
    ]


# Names that are numbers can only be given in this form.
BoardHeights = TypedDict(
    "BoardHeights",
    {
        "3": Annotated[BoardPoints, "For a tower of 3 levels."],
        "4": Annotated[BoardPoints, "For a tower of 4 levels."],
        "5": Annotated[BoardPoints, "For a tower of 5 levels."],
        "6": Annotated[BoardPoints, "For a tower of 6 levels."],
        "7": Annotated[BoardPoints, "For a tower of 7 levels."],
        "8": Annotated[BoardPoints, "For a tower of 8 levels."],
    },
)
BoardHeights.__doc__ = "The points printed beside the commissions of one colour, by height (F3)."

BoardLevelTiles = TypedDict(
    "BoardLevelTiles",
    {
        "5": Annotated[BoardPoints, "For the first tower of 5 levels."],
        "6": Annotated[BoardPoints, "For the first tower of 6 levels."],
        "7": Annotated[BoardPoints, "For the first tower of 7 levels."],
        "8": Annotated[BoardPoints, "For the first tower of 8 levels."],
    },
)
BoardLevelTiles.__doc__ = "The level tiles, by height (F5)."


class BoardBalcony(TypedDict):
    """A balcony tile (F6)."""

    numeral: Annotated[Numeral, "Its numeral."]
    colour: Annotated[ColourName, "The colour of the commission that it covers."]
    height: Annotated[int, Between(LOWEST, HIGHEST), "The height of the commission that it covers."]
    points: Annotated[int, Between(0, MOST_POINTS), "Its points, which replace the printed ones."]
    mark: NotRequired[Annotated[Mark, "Where the value is from; as for points."]]


class BoardCopies(TypedDict):
    """How often a card is there."""

    copies: Annotated[int, Between(0, ALL_CARDS), "How many copies of the card there are."]
    mark: NotRequired[Annotated[Mark, "Where the value is from; as for points."]]


class Board(TypedDict):
    """The printed values of a board; it is checked as a whole when a match is opened (F4)."""

    commissions: Annotated[
        dict[ColourName, BoardHeights],
        EVERY_NAME,
        "The printed points of each commission, by colour and height (F3).",
    ]
    majority: Annotated[
        dict[ColourName, BoardPoints], EVERY_NAME, "The points for most seals on each colour (F41)."
    ]
    level_tiles: Annotated[BoardLevelTiles, "The points of the level tiles (F5, F23)."]
    balconies: Annotated[
        list[BoardBalcony],
        Between(BALCONIES, BALCONIES),
        "The balcony tiles; four of different numerals must fit on four commissions (F10).",
    ]
    cards: Annotated[
        dict[CardName, BoardCopies], EVERY_NAME, "How often each card is there: 52 in all (F7)."
    ]
    start_cards: Annotated[
        dict[CardName, BoardCopies],
        "How many of them are start cards: 10 in all; none: left out (F8).",
    ]
