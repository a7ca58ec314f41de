"""The commands of Firenze.

A `Bricks` field is a list of colours, one entry a brick. For a card's payment the order of the list
counts (F14). A slot is a place in the row, 0 the leftmost. A tower is named by its number: a seat's
towers are numbered from 0 in the order they were begun, and no number is used twice.
"""

from dataclasses import dataclass
from typing import ClassVar, get_args

from domain.firenze.components import Bricks, Card, Colour
from domain.wire import quickly_made, table


@quickly_made
@dataclass(frozen=True, slots=True)
class Lay:
    """Bricks of one colour for one tower. Without a number a new tower is begun (F19)."""

    colour: Colour
    bricks: int
    tower: int | None = None


@dataclass(frozen=True, slots=True)
class SetUp:
    """The house draws balconies, neutral seals and the row (F10-F13)."""

    tag: ClassVar[str] = "set_up"


@dataclass(frozen=True, slots=True)
class TakeCard:
    """Take the card of a slot (F14).

    payment: one brick for each slot left of it, the first for slot 0.
    """

    tag: ClassVar[str] = "take_card"
    seat: int
    slot: int
    payment: Bricks | None = None


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """Spend a Patrician on the event just taken, or none (F31)."""

    tag: ClassVar[str] = "answer_event"
    seat: int
    patrician: bool


@dataclass(frozen=True, slots=True)
class ResolveEvent:
    """Name the loss: a tower to Botch or Collapse, bricks to a Storehouse Fire (F32)."""

    tag: ClassVar[str] = "resolve_event"
    seat: int
    tower: int | None = None
    bricks: Bricks | None = None


@dataclass(frozen=True, slots=True)
class Discard:
    """Hand over the bricks that Flood, Tribute or Luxury Tax takes (F34)."""

    tag: ClassVar[str] = "discard"
    seat: int
    bricks: Bricks | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """Take one brick of this colour from a card in the row for bricks of one's own (F18).

    The own bricks go onto that card.
    """

    tag: ClassVar[str] = "exchange"
    seat: int
    slot: int
    take: Colour
    give: Bricks | None = None


@dataclass(frozen=True, slots=True)
class Build:
    """Lay at most six bricks onto new and standing towers (F19).

    Pay for bricks beyond the second.
    """

    tag: ClassVar[str] = "build"
    seat: int
    lay: tuple[Lay, ...] = ()
    payment: Bricks | None = None


@dataclass(frozen=True, slots=True)
class Fulfil:
    """Deliver a tower to the commission of this colour and height or the Campanile (F21, F38)."""

    tag: ClassVar[str] = "fulfil"
    seat: int
    tower: int
    colour: Colour | None = None
    height: int | None = None
    campanile: bool = False


@dataclass(frozen=True, slots=True)
class PlayPersonnel:
    """Play a Personnel card (F26).

    Fields by card, alchemist: take, give (F27). architect: none, or tower and by (F28).
    mason, princess: none. wholesaler: slot (F29). saboteur: target (a seat), tower.
    smuggler: target, take, give (F30). patrician: discard, a card (F31).
    If give is left out, F25 chooses a brick of another colour than take.
    """

    tag: ClassVar[str] = "play_personnel"
    seat: int
    card: Card
    slot: int | None = None
    take: Colour | None = None
    give: Colour | None = None
    target: int | None = None
    tower: int | None = None
    by: int | None = None
    discard: Card | None = None


@dataclass(frozen=True, slots=True)
class EndTurn:
    """End the turn. Name the bricks and cards beyond the limits to discard (F24)."""

    tag: ClassVar[str] = "end_turn"
    seat: int
    bricks: Bricks | None = None
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """The house scores majorities and Celebration cards (F41-F43)."""

    tag: ClassVar[str] = "score"


Command = (
    SetUp
    | TakeCard
    | AnswerEvent
    | ResolveEvent
    | Discard
    | Exchange
    | Build
    | Fulfil
    | PlayPersonnel
    | EndTurn
    | Score
)
COMMANDS = table(*get_args(Command))
