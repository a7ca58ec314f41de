"""Checking a board that somebody hands in (F4): all its errors, each with the path of its entry."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, get_args

from domain import described
from domain.errors import BadOption, Faults
from domain.firenze.board_types import (
    ALL_CARDS,
    BALCONIES,
    MOST_POINTS,
    START_CARDS,
    BoardLevelTiles,
    Mark,
)
from domain.firenze.cards import CARDS, CHURCH_CARDS, EVENT_CARDS
from domain.firenze.components import COLOURS, HEIGHTS, HIGHEST, LOWEST, ROW_LENGTH
from domain.firenze.view_types import Numeral
from domain.kit.naming import wire_names

Path = tuple[str | int, ...]
Entries = dict[str, Any]

# Reads the value at a path: notes what is wrong with it, and returns it as it is recorded.
Reader = Callable[[Path, Any], Any]

_MARKS = get_args(Mark)
_NUMERALS = get_args(Numeral)
_COLOUR_NAMES = wire_names(COLOURS)
_CARD_NAMES = wire_names(CARDS)
_HEIGHT_NAMES = tuple(map(str, HEIGHTS))
_LEVEL_NAMES = tuple(described.fields(BoardLevelTiles))


def check(board: Any) -> Entries:
    """Return the board as it is recorded, marks filled in ("board").

    Raises BadOption with all its errors.
    """
    faults = Faults(BadOption)
    entries: Entries = _Readers(faults).board((), board)

    # The parts can be held against each other only when each is right.
    faults.raise_any()
    _check_balconies(entries["balconies"], faults)
    _check_cards(entries["cards"], entries["start_cards"], faults)
    faults.raise_any()
    return entries


# ---- the parts -------------------------------------------------------------------------------


class _Readers:
    """The readers of a board and its parts, which note what is wrong in the same faults."""

    def __init__(self, faults: Faults[BadOption]) -> None:
        self._faults = faults
        points = self._entry({"points": self._number(0, MOST_POINTS)})
        copies = self._entry({"copies": self._number(0, ALL_CARDS)})
        by_height = self._rows(_HEIGHT_NAMES, points)
        self._balcony = self._entry(
            {
                "numeral": self._one_of(_NUMERALS),
                "colour": self._one_of(_COLOUR_NAMES),
                "height": self._number(LOWEST, HIGHEST),
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
        def read(path: Path, value: Any) -> Any:
            if type(value) is not int or not least <= value <= most:
                self._wrong(path, f"must be a whole number from {least} to {most}")
            return value

        return read

    def _one_of(self, names: tuple[str, ...]) -> Reader:
        def read(path: Path, value: Any) -> Any:
            if value not in names:
                self._wrong(path, f"must be one of {', '.join(names)}")
            return value

        return read

    def _object(self, readers: Mapping[str, Reader], *, optional: bool = False) -> Reader:
        """Return the reader of an object that has these entries and no others.

        optional: any of the entries may be missing.
        """
        known = ", ".join(readers)

        def read(path: Path, value: Any) -> Entries:
            if not isinstance(value, Mapping):
                self._wrong(path, f"must be an object with the entries {known}")
                return {}

            unknown = [str(name) for name in value if name not in readers]
            self._faults.add_unknown(unknown, path, f"unknown entry; known are {known}")

            clean = {}
            for name, read_entry in readers.items():
                if name in value:
                    clean[name] = read_entry((*path, name), value[name])
                elif not optional:
                    self._wrong((*path, name), "is missing")
            return clean

        return read

    def _rows(self, names: tuple[str, ...], read_row: Reader, *, optional: bool = False) -> Reader:
        """Return the reader of an object that has an entry of the same kind for each name."""
        return self._object(dict.fromkeys(names, read_row), optional=optional)

    def _entry(self, readers: Mapping[str, Reader]) -> Reader:
        """Return the reader of an object with these entries that may carry a mark."""
        read_marked = self._object({**readers, "mark": self._one_of(_MARKS)})

        def read(path: Path, value: Any) -> Any:
            marked = {"mark": "board", **value} if isinstance(value, Mapping) else value
            return read_marked(path, marked)

        return read

    def _balconies(self, path: Path, value: Any) -> list[Entries]:
        if not isinstance(value, list | tuple) or len(value) != BALCONIES:
            self._wrong(path, f"must be a list of {BALCONIES} balconies")
            return []
        return [self._balcony((*path, place), entry) for place, entry in enumerate(value)]


# ---- what must hold between them -------------------------------------------------------------


def _check_balconies(balconies: list[Entries], faults: Faults[BadOption]) -> None:
    """Four balconies on four different commissions must be possible (F10)."""
    covered: dict[str, set[Any]] = {numeral: set() for numeral in _NUMERALS}
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
    """52 cards, 10 of them start cards; a church space for each church card; enough events.

    The rules: F4, F15, F17.
    """
    copies = _copies_by_name(cards)
    start_copies = _copies_by_name(start_cards)
    _check_total("cards", sum(copies.values()), ALL_CARDS, faults)
    _check_total("start_cards", sum(start_copies.values()), START_CARDS, faults)

    events = sum(copies[name] for name in wire_names(EVENT_CARDS))
    if events < ROW_LENGTH:
        why = "for the row never to run short of cards"
        detail = f"must be at least {ROW_LENGTH} events in all, {why}"
        faults.add(BadOption(("cards",), detail))

    church_names = wire_names(CHURCH_CARDS)
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
