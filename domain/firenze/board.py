"""The board of a match: its points, tiles and card counts as tables (F4-F8).

The values come from board.json, or from the owner of a box who types in what is printed there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from domain import described
from domain.firenze.board_check import check
from domain.firenze.board_types import BoardLevelTiles
from domain.firenze.cards import CARDS
from domain.firenze.components import COLOURS, HEIGHTS, Colour, commission_index
from domain.firenze.view_types import Numeral
from domain.kit.naming import wire_names
from domain.kit.tables import read_table

NUMERALS = get_args(Numeral)
LEVEL_HEIGHTS = tuple(described.fields(BoardLevelTiles))

Entries = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Balcony:
    """A balcony tile (F6).

    numeral: 0 for I to 3 for IV. commission: the one that it covers, 0-35.
    """

    numeral: int
    commission: int
    points: int


@dataclass(frozen=True, slots=True)
class Board:
    """The values of a board as tables.

    points: by commission (36). majority: by colour (6). levels: by level tile (4).
    cards: how many copies there are, by card (27). start_cards: how many of them are start cards.
    """

    points: tuple[int, ...]
    majority: tuple[int, ...]
    levels: tuple[int, ...]
    balconies: tuple[Balcony, ...]
    cards: tuple[int, ...]
    start_cards: tuple[int, ...]


def load(entries: Entries) -> Board:
    """Return the tables of a checked board.

    Nearly every match has the default board. To find that out takes an eighth of the time that
    it takes to read a board.
    """
    return _DEFAULT_TABLES if entries == DEFAULT else _tables(entries)


def _tables(entries: Entries) -> Board:
    return Board(
        points=_commission_points(entries["commissions"]),
        majority=_points(entries["majority"], wire_names(COLOURS)),
        levels=_points(entries["level_tiles"], LEVEL_HEIGHTS),
        balconies=tuple(map(_balcony, entries["balconies"])),
        cards=_copies(entries["cards"]),
        start_cards=_copies(entries["start_cards"]),
    )


def _commission_points(commissions: Entries) -> tuple[int, ...]:
    """Return the points of all commissions, colour by colour."""
    heights = tuple(map(str, HEIGHTS))
    points: tuple[int, ...] = ()
    for colour in COLOURS:
        points += _points(commissions[colour.wire], heights)
    return points


def _points(entries: Entries, names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(entries[name]["points"] for name in names)


def _balcony(entry: Entries) -> Balcony:
    colour = Colour.of(entry["colour"])
    return Balcony(
        numeral=NUMERALS.index(entry["numeral"]),
        commission=commission_index(colour, entry["height"]),
        points=entry["points"],
    )


def _copies(cards: Entries) -> tuple[int, ...]:
    """Return how many copies of each card there are; those left out are none."""
    none = {"copies": 0}
    return tuple(cards.get(card.wire, none)["copies"] for card in CARDS)


def _read_default() -> dict[str, Any]:
    return check(read_table(__package__, "board.json"))


DEFAULT: dict[str, Any] = _read_default()

_DEFAULT_TABLES = _tables(DEFAULT)
