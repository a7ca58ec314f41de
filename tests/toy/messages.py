"""The commands and events of the toy game."""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from domain import wire


@dataclass(frozen=True, slots=True)
class Deal:
    """Deal every seat a card; the house's (T1)."""

    tag: ClassVar[str] = "deal"


@dataclass(frozen=True, slots=True)
class CardDealt:
    """A seat holds a card that only it may see."""

    tag: ClassVar[str] = "card_dealt"
    seat: int
    card: int | None = wire.secret("seat", drawn=True)


@dataclass(frozen=True, slots=True)
class CardShown:
    """A seat holds a card that everybody may see: what is dealt where hands are open."""

    tag: ClassVar[str] = "card_shown"
    seat: int
    card: int | None = wire.drawn()


@dataclass(frozen=True, slots=True)
class Swap:
    """Swap one's card for a drawn one (T2); `why`: what the seat notes for itself."""

    tag: ClassVar[str] = "swap"
    seat: int
    why: str | None = wire.secret("seat")


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep one's card (T2)."""

    tag: ClassVar[str] = "keep"
    seat: int


@dataclass(frozen=True, slots=True)
class CardKept:
    """A seat kept its card."""

    tag: ClassVar[str] = "card_kept"
    seat: int


@dataclass(frozen=True, slots=True)
class Settle:
    """Toss the coin and pay; the house's (T3)."""

    tag: ClassVar[str] = "settle"


@dataclass(frozen=True, slots=True)
class CoinTossed:
    """A coin fell."""

    tag: ClassVar[str] = "coin_tossed"
    heads: bool | None = wire.drawn()


@dataclass(frozen=True, slots=True)
class RoundPaid:
    """The seats' cards were laid open and paid."""

    tag: ClassVar[str] = "round_paid"
    cards: tuple[int, ...]
    points: tuple[int, ...]


Dealt: TypeAlias = type[CardDealt] | type[CardShown]

COMMANDS = wire.table(Deal, Swap, Keep, Settle)
EVENTS = wire.table(CardDealt, CardKept, CoinTossed, RoundPaid)
OPEN_EVENTS = wire.table(CardShown, CardKept, CoinTossed, RoundPaid)
