"""The board: printed points, tiles and card counts (F4-F8), read from board.json or typed in by the owner of a box."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import product
from typing import Any, get_args

from domain import described
from domain.errors import MOST_UNKNOWN, BadOption
from domain.firenze.board_types import ALL_CARDS, BALCONIES, MOST_POINTS, BoardLevelTiles, Mark
from domain.firenze.components import CARDS, COLOURS, HEIGHTS, KINDS, ROW, Colour, Kind, commission
from domain.firenze.view_types import Numeral

MARKS = get_args(Mark)
NUMERALS = get_args(Numeral)
LEVEL_HEIGHTS = tuple(described.fields(BoardLevelTiles))
START_CARDS = 10
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Balcony:
    """A balcony tile (F6): its numeral, 0 for I to 3 for IV; the commission it covers, 0-35; its points."""

    numeral: int
    commission: int
    points: int


@dataclass(frozen=True, slots=True)
class Board:
    """The values of a board as tables: by commission (36), colour (6), level tile (4) and card (27)."""

    points: tuple[int, ...]
    majority: tuple[int, ...]
    levels: tuple[int, ...]
    balconies: tuple[Balcony, ...]
    cards: tuple[int, ...]
    start_cards: tuple[int, ...]


def errors(data: Any) -> list[BadOption]:
    """Return what is wrong with a board, each error with the path of its entry; empty for a good one (F4)."""
    return _Reading(data).found


def check(data: Any) -> dict[str, Any]:
    """Return the board as it is recorded, marks filled in ("board"); raises BadOption with all its errors (F4)."""
    reading = _Reading(data)
    if reading.found:
        raise BadOption.together(reading.found, untold=reading.untold)
    return reading.clean


def load(data: Mapping[str, Any]) -> Board:
    """Return the tables of a checked board."""
    counts = [
        [data[key].get(card.wire, {"copies": 0})["copies"] for card in CARDS]
        for key in ("cards", "start_cards")
    ]
    return Board(
        points=tuple(
            data["commissions"][c.wire][str(h)]["points"] for c in COLOURS for h in HEIGHTS
        ),
        majority=tuple(data["majority"][c.wire]["points"] for c in COLOURS),
        levels=tuple(data["level_tiles"][h]["points"] for h in LEVEL_HEIGHTS),
        balconies=tuple(_balcony(entry) for entry in data["balconies"]),
        cards=tuple(counts[0]),
        start_cards=tuple(counts[1]),
    )


def _balcony(entry: Mapping[str, Any]) -> Balcony:
    colour = Colour.of(entry["colour"])
    return Balcony(
        NUMERALS.index(entry["numeral"]), commission(colour, entry["height"]), entry["points"]
    )


class _Reading:
    """One walk over a board: `clean` is the copy to record, `found` the errors, `untold` how many more there are."""

    def __init__(self, data: Any) -> None:
        self.found: list[BadOption] = []
        self.untold = 0
        colours = tuple(c.wire for c in COLOURS)
        cards = tuple(c.wire for c in CARDS)
        heights = tuple(map(str, HEIGHTS))
        self.clean = self._table(
            (),
            data,
            {
                "commissions": lambda p, v: self._rows(
                    p, v, colours, lambda q, w: self._rows(q, w, heights, self._points)
                ),
                "majority": lambda p, v: self._rows(p, v, colours, self._points),
                "level_tiles": lambda p, v: self._rows(p, v, LEVEL_HEIGHTS, self._points),
                "balconies": self._balconies,
                "cards": lambda p, v: self._rows(p, v, cards, self._copies),
                "start_cards": lambda p, v: self._rows(p, v, cards, self._copies, optional=True),
            },
        )
        if not self.found:
            self._check_balconies()
            self._check_cards()

    def _wrong(self, path: Path, detail: str) -> None:
        self.found.append(BadOption(path, detail))

    def _table(
        self,
        path: Path,
        data: Any,
        fields: Mapping[str, Callable[[Path, Any], Any]],
        *,
        optional: bool = False,
    ) -> dict[str, Any]:
        """Read an object that has these fields and no others."""
        if not isinstance(data, Mapping):
            self._wrong(path, f"must be an object with the entries {', '.join(fields)}")
            return {}
        unknown = [name for name in data if name not in fields]
        for name in unknown[:MOST_UNKNOWN]:
            self._wrong((*path, str(name)), f"unknown entry; known are {', '.join(fields)}")
        self.untold += max(0, len(unknown) - MOST_UNKNOWN)
        clean = {}
        for name, read in fields.items():
            if name in data:
                clean[name] = read((*path, name), data[name])
            elif not optional:
                self._wrong((*path, name), "is missing")
        return clean

    def _rows(
        self,
        path: Path,
        data: Any,
        names: tuple[str, ...],
        read: Callable[[Path, Any], Any],
        *,
        optional: bool = False,
    ) -> dict[str, Any]:
        return self._table(path, data, dict.fromkeys(names, read), optional=optional)

    def _entry(
        self, path: Path, data: Any, fields: Mapping[str, Callable[[Path, Any], Any]]
    ) -> dict[str, Any]:
        """Read an entry that may carry a mark."""
        marked = {"mark": "board", **data} if isinstance(data, Mapping) else data
        return self._table(path, marked, {**fields, "mark": self._one_of(MARKS)})

    def _points(self, path: Path, data: Any) -> dict[str, Any]:
        return self._entry(path, data, {"points": self._number(0, MOST_POINTS)})

    def _copies(self, path: Path, data: Any) -> dict[str, Any]:
        return self._entry(path, data, {"copies": self._number(0, ALL_CARDS)})

    def _balconies(self, path: Path, data: Any) -> list[dict[str, Any]]:
        if not isinstance(data, list | tuple) or len(data) != BALCONIES:
            self._wrong(path, f"must be a list of {BALCONIES} balconies")
            return []
        fields = {
            "numeral": self._one_of(NUMERALS),
            "colour": self._one_of(tuple(c.wire for c in COLOURS)),
            "height": self._number(HEIGHTS[0], HEIGHTS[-1]),
            "points": self._number(0, MOST_POINTS),
        }
        return [self._entry((*path, place), entry, fields) for place, entry in enumerate(data)]

    def _number(self, least: int, most: int) -> Callable[[Path, Any], Any]:
        def read(path: Path, data: Any) -> Any:
            if type(data) is not int or not least <= data <= most:
                self._wrong(path, f"must be a whole number from {least} to {most}")
            return data

        return read

    def _one_of(self, names: tuple[str, ...]) -> Callable[[Path, Any], Any]:
        def read(path: Path, data: Any) -> Any:
            if data not in names:
                self._wrong(path, f"must be one of {', '.join(names)}")
            return data

        return read

    def _check_balconies(self) -> None:
        """Four balconies on four different commissions must be possible (F10)."""
        groups = [
            {(b["colour"], b["height"]) for b in self.clean["balconies"] if b["numeral"] == numeral}
            for numeral in NUMERALS
        ]
        if not any(len(set(drawn)) == len(NUMERALS) for drawn in product(*groups)):
            self._wrong(
                ("balconies",),
                "must have a balcony of each numeral I to IV on four different commissions",
            )

    def _check_cards(self) -> None:
        """52 cards, 10 of them start cards; a church space for each church card; enough events (F4, F15, F17)."""
        cards, start = self.clean["cards"], self.clean["start_cards"]
        for key, table, right in (("cards", cards, ALL_CARDS), ("start_cards", start, START_CARDS)):
            total = sum(entry["copies"] for entry in table.values())
            if total != right:
                self._wrong((key,), f"must be {right} cards in all, not {total}")
        events = sum(cards[card.wire]["copies"] for card in CARDS if KINDS[card] is Kind.EVENT)
        if events < ROW:
            detail = (
                f"must be at least {ROW} events in all, for the row never to run short of cards"
            )
            self._wrong(("cards",), detail)
        for card in CARDS:
            copies = cards[card.wire]["copies"]
            if KINDS[card] is Kind.CHURCH and copies > 1:
                self._wrong(
                    ("cards", card.wire, "copies"),
                    "must be 0 or 1: each church card has one church space",
                )
            if start.get(card.wire, {"copies": 0})["copies"] > copies:
                self._wrong(
                    ("start_cards", card.wire, "copies"),
                    f"must be at most {copies}, as many as there are",
                )


DEFAULT: dict[str, Any] = check(
    json.loads(files(__package__).joinpath("board.json").read_text(encoding="utf-8"))
)
