"""Towers built, torn down and delivered; what leaves a player at the end of a turn."""

from dataclasses import dataclass
from typing import ClassVar

from domain.firenze.cards import Card
from domain.firenze.components import Bricks, Colour
from domain.wire import quickly_made


@quickly_made
@dataclass(frozen=True, slots=True)
class Laid:
    """Bricks laid onto a tower; a number not seen before is a new tower."""

    tower: int
    colour: Colour
    bricks: int


@dataclass(frozen=True, slots=True)
class Built:
    """The building of this turn, perhaps of nothing; the payment went to the pouch (F19)."""

    tag: ClassVar[str] = "built"
    seat: int
    laid: tuple[Laid, ...]
    payment: Bricks


@dataclass(frozen=True, slots=True)
class TowerTornDown:
    """A tower was torn down: `lost` of its bricks went to the pouch, `saved` to the storehouse
    (F20, F33).
    """

    tag: ClassVar[str] = "tower_torn_down"
    seat: int
    tower: int
    colour: Colour
    lost: int
    saved: int


@dataclass(frozen=True, slots=True)
class CommissionFulfilled:
    """A tower of `bricks` bricks fulfilled a commission (F21).

    points: printed or on the balcony (F22); level: of the level tile (F23); privilege: of church
    cards (F37).
    architect: the Architect made up the level between height and bricks (F28).
    """

    tag: ClassVar[str] = "commission_fulfilled"
    seat: int
    tower: int
    colour: Colour
    height: int
    bricks: int
    points: int
    level: int
    privilege: int
    architect: bool


@dataclass(frozen=True, slots=True)
class BellTowerDelivered:
    """A tower of three white bricks was delivered to the Campanile (F38)."""

    tag: ClassVar[str] = "bell_tower_delivered"
    seat: int
    tower: int


@dataclass(frozen=True, slots=True)
class ChurchClosed:
    """A church card was fulfilled and discarded (F15)."""

    tag: ClassVar[str] = "church_closed"
    card: Card


@dataclass(frozen=True, slots=True)
class EndTileTaken:
    """A seat placed the first last seal (F40)."""

    tag: ClassVar[str] = "end_tile_taken"
    seat: int
    points: int


@dataclass(frozen=True, slots=True)
class BricksDiscarded:
    """Bricks went from a storehouse to the pouch: a surplus (F24) or a Storehouse Fire (F32)."""

    tag: ClassVar[str] = "bricks_discarded"
    seat: int
    bricks: Bricks


@dataclass(frozen=True, slots=True)
class CardDiscarded:
    """A card was discarded from a seat's hand or buildings (F24, F31)."""

    tag: ClassVar[str] = "card_discarded"
    seat: int
    card: Card
