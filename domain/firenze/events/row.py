"""The row: cards that leave it and where they go, its refill, bricks exchanged with it."""

from dataclasses import dataclass
from typing import ClassVar

from domain.firenze.cards import Card
from domain.firenze.components import Bricks, Colour
from domain.wire import drawn


@dataclass(frozen=True, slots=True)
class CardTaken:
    """A card left the row; its bricks went to the seat, the payment onto the slots left of it
    (F14).
    """

    tag: ClassVar[str] = "card_taken"
    seat: int
    slot: int
    card: Card
    bricks: Bricks
    payment: Bricks


@dataclass(frozen=True, slots=True)
class CardKept:
    """The taken card went to a seat's hand or open buildings (F15; with the Monument not always the
    taker's, F36).
    """

    tag: ClassVar[str] = "card_kept"
    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class ChurchOpened:
    """The taken card went onto a church space (F15)."""

    tag: ClassVar[str] = "church_opened"
    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class CardSpent:
    """The taken card was discarded: an event when settled, a second building, a tied Monument
    (F15, F36).
    """

    tag: ClassVar[str] = "card_spent"
    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class DeckShuffled:
    """The discards, and what was left of the deck, became the new deck (F17, F35)."""

    tag: ClassVar[str] = "deck_shuffled"


@dataclass(frozen=True, slots=True)
class RowRefilled:
    """A card with bricks was drawn for the last slot (F16)."""

    tag: ClassVar[str] = "row_refilled"
    card: Card | None = drawn()
    bricks: Bricks | None = drawn()


@dataclass(frozen=True, slots=True)
class RowShortened:
    """No card was left for the last slot (F17)."""

    tag: ClassVar[str] = "row_shortened"


@dataclass(frozen=True, slots=True)
class BricksExchanged:
    """A brick came from a card in the row, others went onto that card (F18)."""

    tag: ClassVar[str] = "bricks_exchanged"
    seat: int
    slot: int
    take: Colour
    give: Bricks
