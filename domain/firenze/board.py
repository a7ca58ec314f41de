"""The board of a match: points, tiles and numbers of cards as tables (F4-F8).

The values come from board.json, or from an owner of the box who types in the printed ones.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Literal, NotRequired, TypedDict, get_args

from domain import json_types
from domain.errors import BadOption, Faults
from domain.firenze import components as box
from domain.json_types import EVERY_NAME, Between, Json, JsonMapping
from domain.kit import read_table, wire_names

# ---- the JSON of the option `board` (F4) ---------------------------------------------------------


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
            'Source of the value: the rules page, a real board ("board" if left out), a guess.',
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

    numeral: Annotated[box.Numeral, "Its numeral."]
    colour: Annotated[box.ColourName, "The colour of the commission that it covers."]
    height: Annotated[
        int, Between(box.LOWEST, box.HIGHEST), "The height of the commission that it covers."
    ]
    points: Annotated[int, Between(0, MOST_POINTS), "Its points. They replace the printed ones."]
    mark: NotRequired[Annotated[Mark, "Source of the value, as for points."]]


class BoardCopies(TypedDict):
    """The number of copies of a card."""

    copies: Annotated[int, Between(0, ALL_CARDS), "Number of copies of the card."]
    mark: NotRequired[Annotated[Mark, "Source of the value, as for points."]]


class Board(TypedDict):
    """The printed values of a board. They are checked when a match is opened (F4)."""

    commissions: Annotated[
        dict[box.ColourName, BoardHeights],
        EVERY_NAME,
        "The printed points of each commission, by colour and height (F3).",
    ]
    majority: Annotated[
        dict[box.ColourName, BoardPoints],
        EVERY_NAME,
        "The points for most seals on each colour (F41).",
    ]
    level_tiles: Annotated[BoardLevelTiles, "The points of the level tiles (F5, F23)."]
    balconies: Annotated[
        list[BoardBalcony],
        Between(BALCONIES, BALCONIES),
        "The balcony tiles. Four of different numerals must fit on four commissions (F10).",
    ]
    cards: Annotated[
        dict[box.CardName, BoardCopies],
        EVERY_NAME,
        "Number of copies of each card: 52 in all (F7).",
    ]
    start_cards: Annotated[
        dict[box.CardName, BoardCopies],
        "Number of start cards among them: 10 in all. Others are left out (F8).",
    ]


# ---- checking a board: each error has the path of its entry (F4) ---------------------------------


Path = tuple[str | int, ...]
Entries = Json

# Reads the value at a path: notes the faults of the value, and returns the value to record.
Reader = Callable[[Path, object], object]
ObjectReader = Callable[[Path, object], Entries]

_MARKS = get_args(Mark)
_NUMERALS = get_args(box.Numeral)
_COLOUR_NAMES = wire_names(box.COLOURS)
_CARD_NAMES = wire_names(box.CARDS)
_HEIGHT_NAMES = tuple(map(str, box.HEIGHTS))
_LEVEL_NAMES = tuple(json_types.fields(BoardLevelTiles))


def check(board: object) -> Entries:
    """Return the board to record, with missing marks filled in ("board").

    Raises BadOption with the errors of single parts. Only without any, with those between parts.
    """
    faults = Faults(BadOption)
    entries = _Readers(faults).board((), board)

    # Only right parts can be compared.
    faults.raise_any()
    _check_balconies(entries["balconies"], faults)
    _check_cards(entries["cards"], entries["start_cards"], faults)
    faults.raise_any()
    return entries


# ---- the parts -------------------------------------------------------------------------------


class _Readers:
    """The readers of a board and its parts. All note errors in `faults`."""

    def __init__(self, faults: Faults[BadOption]) -> None:
        self._faults = faults
        points = self._entry({"points": self._number(0, MOST_POINTS)})
        copies = self._entry({"copies": self._number(0, ALL_CARDS)})
        by_height = self._rows(_HEIGHT_NAMES, points)
        self._balcony = self._entry(
            {
                "numeral": self._one_of(_NUMERALS),
                "colour": self._one_of(_COLOUR_NAMES),
                "height": self._number(box.LOWEST, box.HIGHEST),
                "points": self._number(0, MOST_POINTS),
            }
        )
        self.board = self._object(
            {
                "commissions": self._rows(_COLOUR_NAMES, by_height),
                "majority": self._rows(_COLOUR_NAMES, points),
                "level_tiles": self._rows(_LEVEL_NAMES, points),
                "balconies": self._balconies,
                "cards": self._rows(_CARD_NAMES, copies),
                "start_cards": self._rows(_CARD_NAMES, copies, optional=True),
            }
        )

    def _wrong(self, path: Path, detail: str) -> None:
        self._faults.add(BadOption(path, detail))

    def _number(self, least: int, most: int) -> Reader:
        def read(path: Path, value: object) -> object:
            if type(value) is not int or not least <= value <= most:
                self._wrong(path, f"must be a whole number from {least} to {most}")
            return value

        return read

    def _one_of(self, names: tuple[str, ...]) -> Reader:
        def read(path: Path, value: object) -> object:
            if value not in names:
                self._wrong(path, f"must be one of {', '.join(names)}")
            return value

        return read

    def _object(self, readers: Mapping[str, Reader], *, optional: bool = False) -> ObjectReader:
        """Return the reader of an object with these entries and no others.

        optional: any of the entries may be missing.
        """
        names = ", ".join(readers)

        def read(path: Path, value: object) -> Entries:
            if not isinstance(value, Mapping):
                self._wrong(path, f"must be an object with the entries {names}")
                return {}

            unknown = [str(name) for name in value if name not in readers]
            self._faults.add_unknown(unknown, path, f"unknown entry. Known entries: {names}")

            clean = {}
            for name, read_entry in readers.items():
                if name in value:
                    clean[name] = read_entry((*path, name), value[name])
                elif not optional:
                    self._wrong((*path, name), "is missing")
            return clean

        return read

    def _rows(
        self, names: tuple[str, ...], read_row: Reader, *, optional: bool = False
    ) -> ObjectReader:
        """Return the reader of an object with an entry of the same kind for each name."""
        return self._object(dict.fromkeys(names, read_row), optional=optional)

    def _entry(self, readers: Mapping[str, Reader]) -> ObjectReader:
        """Return the reader of an object with these entries and an optional mark."""
        read_marked = self._object({**readers, "mark": self._one_of(_MARKS)})

        def read(path: Path, value: object) -> Entries:
            marked = {"mark": "board", **value} if isinstance(value, Mapping) else value
            return read_marked(path, marked)

        return read

    def _balconies(self, path: Path, value: object) -> list[Entries]:
        if not isinstance(value, list | tuple) or len(value) != BALCONIES:
            self._wrong(path, f"must be a list of {BALCONIES} balconies")
            return []
        return [self._balcony((*path, place), entry) for place, entry in enumerate(value)]


# ---- conditions between the parts ------------------------------------------------------------


def _check_balconies(balconies: list[Entries], faults: Faults[BadOption]) -> None:
    """Note a fault unless balconies of all numerals fit on four different commissions (F10)."""
    covered: dict[str, set[object]] = {numeral: set() for numeral in _NUMERALS}
    for balcony in balconies:
        numeral = balcony["numeral"]
        commission = (balcony["colour"], balcony["height"])
        covered[numeral].add(commission)

    for drawn in product(*covered.values()):
        if len(set(drawn)) == len(_NUMERALS):
            return

    detail = "must have a balcony of each numeral I to IV on four different commissions"
    faults.add(BadOption(("balconies",), detail))


def _check_cards(cards: Entries, start_cards: Entries, faults: Faults[BadOption]) -> None:
    """Note wrong numbers of cards (F4, F15, F17).

    A right board has 52 cards, 10 of them start cards, at least 6 events, at most one copy of each
    church card, and no more start cards of a name than copies.
    """
    copies = _copies_by_name(cards)
    start_copies = _copies_by_name(start_cards)
    _check_total("cards", sum(copies.values()), ALL_CARDS, faults)
    _check_total("start_cards", sum(start_copies.values()), START_CARDS, faults)

    events = sum(copies[name] for name in wire_names(box.EVENT_CARDS))
    if events < box.ROW_LENGTH:
        why = "for the row never to run short of cards"
        detail = f"must be at least {box.ROW_LENGTH} events in all, {why}"
        faults.add(BadOption(("cards",), detail))

    church_names = wire_names(box.CHURCH_CARDS)
    for name, count in copies.items():
        if name in church_names and count > 1:
            detail = "must be 0 or 1: each church card has one church space"
            faults.add(BadOption(("cards", name, "copies"), detail))

        if start_copies.get(name, 0) > count:
            detail = f"must be at most {count}, as many as there are"
            faults.add(BadOption(("start_cards", name, "copies"), detail))


def _copies_by_name(cards: Entries) -> dict[str, int]:
    return {name: entry["copies"] for name, entry in cards.items()}


def _check_total(key: str, total: int, right: int, faults: Faults[BadOption]) -> None:
    if total != right:
        faults.add(BadOption((key,), f"must be {right} cards in all, not {total}"))


# ---- the values of a board as tables -------------------------------------------------------------


NUMERALS = get_args(box.Numeral)
LEVEL_HEIGHTS = tuple(json_types.fields(BoardLevelTiles))

BoardEntries = JsonMapping


@dataclass(frozen=True, slots=True)
class Balcony:
    """A balcony tile (F6).

    numeral: 0 for I to 3 for IV. commission: index of the covered commission.
    """

    numeral: int
    commission: int
    points: int


@dataclass(frozen=True, slots=True)
class BoardTables:
    """The values of a board as tables.

    points: by commission (36). majority: by colour (6). levels: by level tile (4).
    cards: number of copies by card (27). start_cards: number of start cards among them.
    """

    points: tuple[int, ...]
    majority: tuple[int, ...]
    levels: tuple[int, ...]
    balconies: tuple[Balcony, ...]
    cards: tuple[int, ...]
    start_cards: tuple[int, ...]


def load(entries: BoardEntries) -> BoardTables:
    """Return the tables of a checked board.

    A comparison with the default board is quicker than reading it again.
    """
    return _DEFAULT_TABLES if entries == DEFAULT else _tables(entries)


def _tables(entries: BoardEntries) -> BoardTables:
    return BoardTables(
        points=_commission_points(entries["commissions"]),
        majority=_points(entries["majority"], wire_names(box.COLOURS)),
        levels=_points(entries["level_tiles"], LEVEL_HEIGHTS),
        balconies=tuple(map(_balcony, entries["balconies"])),
        cards=_copies(entries["cards"]),
        start_cards=_copies(entries["start_cards"]),
    )


def _commission_points(commissions: BoardEntries) -> tuple[int, ...]:
    """Return the points of all commissions, colour by colour."""
    heights = tuple(map(str, box.HEIGHTS))
    points: tuple[int, ...] = ()
    for colour in box.COLOURS:
        points += _points(commissions[colour.wire], heights)
    return points


def _points(entries: BoardEntries, names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(entries[name]["points"] for name in names)


def _balcony(entry: BoardEntries) -> Balcony:
    colour = box.Colour.of(entry["colour"])
    return Balcony(
        numeral=NUMERALS.index(entry["numeral"]),
        commission=box.commission_index(colour, entry["height"]),
        points=entry["points"],
    )


def _copies(cards: BoardEntries) -> tuple[int, ...]:
    """Return the number of copies by card, 0 for cards left out."""
    none = {"copies": 0}
    return tuple(cards.get(card.wire, none)["copies"] for card in box.CARDS)


def _read_default() -> Entries:
    return check(read_table(__package__, "board.json"))


DEFAULT: Entries = _read_default()

_DEFAULT_TABLES = _tables(DEFAULT)
