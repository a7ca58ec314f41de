"""What a board holds: the JSON of the option `board` (F4)."""

from typing import Annotated, Literal, NotRequired, TypedDict

from domain.described import EVERY_NAME, Between
from domain.firenze.components import HIGHEST, LOWEST
from domain.firenze.view_types import CardName, ColourName, Numeral

MOST_POINTS = 99
ALL_CARDS = 52
BALCONIES = 19

Mark = Literal["page", "board", "assumed"]
Height = Literal["3", "4", "5", "6", "7", "8"]
LevelHeight = Literal["5", "6", "7", "8"]


class BoardPoints(TypedDict):
    """Points printed on the board."""

    points: Annotated[int, Between(0, MOST_POINTS), "The points."]
    mark: NotRequired[
        Annotated[Mark, 'Where the value is from: the rules page, a real board ("board" if left out), a guess.']
    ]


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
        dict[ColourName, Annotated[dict[Height, BoardPoints], EVERY_NAME]],
        EVERY_NAME,
        "The printed points of each commission, by colour and height (F3).",
    ]
    majority: Annotated[dict[ColourName, BoardPoints], EVERY_NAME, "The points for most seals on each colour (F41)."]
    level_tiles: Annotated[dict[LevelHeight, BoardPoints], EVERY_NAME, "The points of the level tiles, by height (F5)."]
    balconies: Annotated[
        list[BoardBalcony],
        Between(BALCONIES, BALCONIES),
        "The balcony tiles; four of different numerals must fit on four commissions (F10).",
    ]
    cards: Annotated[dict[CardName, BoardCopies], EVERY_NAME, "How often each card is there: 52 in all (F7)."]
    start_cards: Annotated[
        dict[CardName, BoardCopies], "How many of them are start cards: 10 in all; none: left out (F8)."
    ]
