"""What Personnel cards do."""

from dataclasses import dataclass
from typing import ClassVar

from domain.firenze.cards import Card
from domain.firenze.components import Bricks, Colour
from domain.wire import drawn


@dataclass(frozen=True, slots=True)
class PersonnelPlayed:
    """A Personnel card was played and discarded (F26)."""

    tag: ClassVar[str] = "personnel_played"
    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class BrickSwapped:
    """A storehouse brick was swapped for one of the pouch (F27)."""

    tag: ClassVar[str] = "brick_swapped"
    seat: int
    give: Colour
    take: Colour


@dataclass(frozen=True, slots=True)
class ArchitectHired:
    """The Architect waits for a fulfilment, bound to a tower and +1 or -1, or to neither (F28)."""

    tag: ClassVar[str] = "architect_hired"
    seat: int
    tower: int | None = None
    by: int | None = None


@dataclass(frozen=True, slots=True)
class SlotRestocked:
    """All bricks of a card in the row went to the pouch, and as many were drawn for it (F29)."""

    tag: ClassVar[str] = "slot_restocked"
    seat: int
    slot: int
    gone: Bricks
    bricks: Bricks | None = drawn()


@dataclass(frozen=True, slots=True)
class BrickRemoved:
    """One brick of a tower of this seat went to the pouch; with its last one the tower vanished
    (F30, F32).
    """

    tag: ClassVar[str] = "brick_removed"
    seat: int
    tower: int
    colour: Colour


@dataclass(frozen=True, slots=True)
class BricksTraded:
    """A seat gave a storehouse brick to the target and took one of its (F30)."""

    tag: ClassVar[str] = "bricks_traded"
    seat: int
    target: int
    give: Colour
    take: Colour
