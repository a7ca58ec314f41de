"""What happened. Events are frozen for ever: a changed meaning needs a new name."""

from dataclasses import dataclass
from typing import ClassVar

from domain.wire import drawn, secret, table
from examples.ponte.components import Bank


@dataclass(frozen=True, slots=True)
class RowBegun:
    """A drawn stone lies openly as the first of a row (P5)."""

    tag: ClassVar[str] = "row_begun"
    bank: Bank
    stone: int | None = drawn()


@dataclass(frozen=True, slots=True)
class StoneDrawn:
    """A seat holds a stone that only it may see (P5, P8)."""

    tag: ClassVar[str] = "stone_drawn"
    seat: int
    stone: int | None = secret(drawn=True)


@dataclass(frozen=True, slots=True)
class BuildingBegun:
    """All stones are dealt; seat 0 has the first turn (P5, P6)."""

    tag: ClassVar[str] = "building_begun"


@dataclass(frozen=True, slots=True)
class StoneLaid:
    """A seat laid a stone at the end of a row, which brought it points (P6, P7)."""

    tag: ClassVar[str] = "stone_laid"
    seat: int
    stone: int
    bank: Bank
    points: int


@dataclass(frozen=True, slots=True)
class BridgeFinished:
    """The seat laid the keystone; points, which count it, and ranks by seat (P9, P10)."""

    tag: ClassVar[str] = "bridge_finished"
    seat: int
    points: tuple[int, ...]
    ranks: tuple[int, ...]


EVENTS = table(RowBegun, StoneDrawn, BuildingBegun, StoneLaid, BridgeFinished)
