"""The table laid, turns, and the end of the match."""

from dataclasses import dataclass
from typing import ClassVar

from domain.firenze.cards import Card
from domain.firenze.components import Bricks, Colour, End
from domain.wire import drawn


@dataclass(frozen=True, slots=True)
class PlacedBalcony:
    """A balcony on its commission."""

    colour: Colour
    height: int
    points: int


@dataclass(frozen=True, slots=True)
class CoveredCommission:
    """A commission under a neutral seal."""

    colour: Colour
    height: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """A card in the row and the bricks on it."""

    card: Card
    bricks: Bricks


@dataclass(frozen=True, slots=True)
class TableLaid:
    """Balconies I-IV, neutral seals and the row were drawn (F10, F11, F13)."""

    tag: ClassVar[str] = "table_laid"
    balconies: tuple[PlacedBalcony, ...] | None = drawn()
    neutral: tuple[CoveredCommission, ...] | None = drawn()
    row: tuple[Dealt, ...] | None = drawn()


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A seat's turn began; turn counts the turns of all from 0 (F1)."""

    tag: ClassVar[str] = "turn_began"
    seat: int
    turn: int


@dataclass(frozen=True, slots=True)
class PlayEnded:
    """The last turn is over; the house scores next (F40, F45)."""

    tag: ClassVar[str] = "play_ended"
    reason: End


@dataclass(frozen=True, slots=True)
class Majority:
    """The majority of one colour: seals by seat, who had most, the highest seal of each of these,
    who won (F41).

    highest is 0 for a seat that was not tied; seat is None where nobody has a seal.
    """

    colour: Colour
    points: int
    seals: tuple[int, ...]
    tied: tuple[int, ...]
    highest: tuple[int, ...]
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Celebrated:
    """What a seat's copies of one Celebration card bring in all (F39)."""

    seat: int
    card: Card
    copies: int
    points: int


@dataclass(frozen=True, slots=True)
class FinalScored:
    """The final scoring explained: majorities, Celebration cards, points before and after, ranks
    (F41, F42).
    """

    tag: ClassVar[str] = "final_scored"
    majorities: tuple[Majority, ...]
    celebrations: tuple[Celebrated, ...]
    before: tuple[int, ...]
    points: tuple[int, ...]
    ranks: tuple[int, ...]
