"""The events of Firenze. Stored matches hold them, so their fields never change.

Bricks are lists of colours, as in the commands.
"""

from dataclasses import dataclass
from typing import ClassVar

from domain.firenze.agenda import Step
from domain.firenze.components import Bricks, Card, Colour, End
from domain.firenze.state import Due
from domain.wire import drawn, quickly_made, table

# ---- the table, turns, and the end of the match --------------------------------------------------


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
    """A seat's turn began (F1). turn: number of turns of all seats before this one."""

    tag: ClassVar[str] = "turn_began"
    seat: int
    turn: int


@dataclass(frozen=True, slots=True)
class PlayEnded:
    """The last turn is over. The house scores next (F40, F45)."""

    tag: ClassVar[str] = "play_ended"
    reason: End


@dataclass(frozen=True, slots=True)
class Majority:
    """The majority of one colour (F41).

    seals: by seat. tied: the seats with most. highest: by seat, the highest seal of each tied seat,
    0 for the others. seat: the winner, null if nobody has a seal.
    """

    colour: Colour
    points: int
    seals: tuple[int, ...]
    tied: tuple[int, ...]
    highest: tuple[int, ...]
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Celebrated:
    """The points of a seat's copies of one Celebration card in all (F39)."""

    seat: int
    card: Card
    copies: int
    points: int


@dataclass(frozen=True, slots=True)
class FinalScored:
    """The final scoring: majorities, Celebrations, points before and after, ranks (F41, F42)."""

    tag: ClassVar[str] = "final_scored"
    majorities: tuple[Majority, ...]
    celebrations: tuple[Celebrated, ...]
    before: tuple[int, ...]
    points: tuple[int, ...]
    ranks: tuple[int, ...]


# ---- the row: cards that leave it, its refill, bricks exchanged with it --------------------------


@dataclass(frozen=True, slots=True)
class CardTaken:
    """A card left the row (F14).

    The bricks on it went to the seat, the payment onto the slots to the left.
    """

    tag: ClassVar[str] = "card_taken"
    seat: int
    slot: int
    card: Card
    bricks: Bricks
    payment: Bricks


@dataclass(frozen=True, slots=True)
class CardKept:
    """The taken card went to a seat's hand or open buildings (F15).

    A Monument may go to another seat than the taker's (F36).
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
    """The taken card was discarded: settled event, second building or tied Monument (F15, F36)."""

    tag: ClassVar[str] = "card_spent"
    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class DeckShuffled:
    """The discards, and the rest of the deck, became the new deck (F17, F35)."""

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


# ---- towers built, torn down and delivered; what leaves a player at the end of a turn ------------


@quickly_made
@dataclass(frozen=True, slots=True)
class Laid:
    """Bricks laid onto a tower. A new number is a new tower."""

    tower: int
    colour: Colour
    bricks: int


@dataclass(frozen=True, slots=True)
class Built:
    """The building of this turn, perhaps of nothing. The payment went to the pouch (F19)."""

    tag: ClassVar[str] = "built"
    seat: int
    laid: tuple[Laid, ...]
    payment: Bricks


@dataclass(frozen=True, slots=True)
class TowerTornDown:
    """A tower was torn down (F20, F33).

    `lost` of its bricks went to the pouch, `saved` to the storehouse.
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

    points: printed points, or points on the balcony (F22). level: points of the level tile (F23).
    privilege: points of church cards (F37).
    architect: True if the Architect added or took off one level (F28).
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
    """A seat was the first to place its last seal (F40)."""

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


# ---- Personnel cards -----------------------------------------------------------------------------


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
    """One brick of a tower of this seat went to the pouch (F30, F32).

    A tower vanishes with its last brick.
    """

    tag: ClassVar[str] = "brick_removed"
    seat: int
    tower: int
    colour: Colour


@dataclass(frozen=True, slots=True)
class BricksTraded:
    """A seat swapped a storehouse brick for one of the target's storehouse (F30)."""

    tag: ClassVar[str] = "bricks_traded"
    seat: int
    target: int
    give: Colour
    take: Colour


# ---- event cards ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlayerAsked:
    """The event waits for its taker: to answer it (F31) or to name the loss (F32)."""

    tag: ClassVar[str] = "player_asked"
    seat: int
    card: Card
    step: Step


@dataclass(frozen=True, slots=True)
class EventAnswered:
    """The taker of an event spent a Patrician on it, or did not (F31)."""

    tag: ClassVar[str] = "event_answered"
    seat: int
    patrician: bool


@dataclass(frozen=True, slots=True)
class TowerCollapsed:
    """A tower was lost with all its bricks (F32)."""

    tag: ClassVar[str] = "tower_collapsed"
    seat: int
    tower: int
    colour: Colour
    bricks: int


@dataclass(frozen=True, slots=True)
class DuesLaid:
    """An event laid these dues on the seats that it touches (F33)."""

    tag: ClassVar[str] = "dues_laid"
    card: Card
    dues: tuple[Due, ...]


@dataclass(frozen=True, slots=True)
class DuePaid:
    """A seat paid its due for an event (F34)."""

    tag: ClassVar[str] = "due_paid"
    seat: int
    bricks: Bricks


# ---- by tag --------------------------------------------------------------------------------------


EVENTS = table(
    TableLaid,
    TurnBegan,
    CardTaken,
    CardKept,
    ChurchOpened,
    CardSpent,
    DeckShuffled,
    RowRefilled,
    RowShortened,
    BricksExchanged,
    Built,
    TowerTornDown,
    CommissionFulfilled,
    BellTowerDelivered,
    ChurchClosed,
    EndTileTaken,
    BricksDiscarded,
    CardDiscarded,
    PersonnelPlayed,
    BrickSwapped,
    ArchitectHired,
    SlotRestocked,
    BrickRemoved,
    BricksTraded,
    PlayerAsked,
    EventAnswered,
    TowerCollapsed,
    DuesLaid,
    DuePaid,
    PlayEnded,
    FinalScored,
)
