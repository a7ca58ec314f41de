"""The commands of players and the house, as on the wire."""

from dataclasses import dataclass
from typing import ClassVar, get_args

from domain.calimala import components as box
from domain.wire import secret, table


@dataclass(frozen=True, slots=True)
class SetUp:
    """The house lays out grid and council, and deals the final scoring cards (C11, C12)."""

    tag: ClassVar[str] = "set_up"


@dataclass(frozen=True, slots=True)
class KeepScoringCard:
    """Keep one of the dealt final scoring cards, secretly (C12)."""

    tag: ClassVar[str] = "keep_scoring_card"
    seat: int
    card: box.Category | None = secret()


@dataclass(frozen=True, slots=True)
class TakeActionCard:
    """Take one of the open action cards before the first turn (C13)."""

    tag: ClassVar[str] = "take_action_card"
    seat: int
    card: box.Action


@dataclass(frozen=True, slots=True)
class PlaceDisc:
    """Place a disc on a street (C14)."""

    tag: ClassVar[str] = "place_disc"
    seat: int
    street: box.Street
    disc: box.Disc


@dataclass(frozen=True, slots=True)
class Perform:
    """Carry out an activated action (C19) with the parameters that it takes.

    build: build, and city for a trade house (C24). artwork: building (C25).
    ship, transport: cities, one for each cloth (C27, C28).
    contribute: resource and building (C29). The others take none.
    """

    tag: ClassVar[str] = "perform"
    seat: int
    action: box.Action
    build: box.Project | None = None
    city: box.City | None = None
    building: box.Building | None = None
    resource: box.Resource | None = None
    cities: tuple[box.City, ...] | None = None


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Play an action card from the hand (C20). The parameters are those of Perform."""

    tag: ClassVar[str] = "play_card"
    seat: int
    action: box.Action
    build: box.Project | None = None
    city: box.City | None = None
    building: box.Building | None = None
    resource: box.Resource | None = None
    cities: tuple[box.City, ...] | None = None


@dataclass(frozen=True, slots=True)
class Compensate:
    """Draw a card for an activated action that cannot be carried out (C19)."""

    tag: ClassVar[str] = "compensate"
    seat: int
    action: box.Action


@dataclass(frozen=True, slots=True)
class Skip:
    """Give an activated action up for nothing (C19)."""

    tag: ClassVar[str] = "skip"
    seat: int
    action: box.Action


@dataclass(frozen=True, slots=True)
class EndActivation:
    """End one's activation when its actions are used up (C21)."""

    tag: ClassVar[str] = "end_activation"
    seat: int


@dataclass(frozen=True, slots=True)
class GiveUpDisc:
    """Move one's own disc from a street to the council seat (C33).

    position: 0 is the bottom of the stack.
    """

    tag: ClassVar[str] = "give_up_disc"
    seat: int
    street: box.Street
    position: int


@dataclass(frozen=True, slots=True)
class Score:
    """The house settles one scoring tile or one final scoring card (C38)."""

    tag: ClassVar[str] = "score"


Command = (
    SetUp
    | KeepScoringCard
    | TakeActionCard
    | PlaceDisc
    | Perform
    | PlayCard
    | Compensate
    | Skip
    | EndActivation
    | GiveUpDisc
    | Score
)
COMMANDS = table(*get_args(Command))
