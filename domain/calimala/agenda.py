"""The agenda: a stack of open items. The top item is settled next."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from domain.calimala.components import Street


@dataclass(frozen=True, slots=True)
class Opening:
    """The house sets the game up (C11)."""

    tag: ClassVar[Literal["opening"]] = "opening"


@dataclass(frozen=True, slots=True)
class Keeping:
    """Every seat keeps one scoring card (C12)."""

    tag: ClassVar[Literal["keeping"]] = "keeping"


@dataclass(frozen=True, slots=True)
class Drafting:
    """The seat takes an open action card (C13)."""

    tag: ClassVar[Literal["drafting"]] = "drafting"
    seat: int


@dataclass(frozen=True, slots=True)
class Turn:
    """The seat places a disc (C14)."""

    tag: ClassVar[Literal["turn"]] = "turn"
    seat: int


@dataclass(slots=True)
class Activation:
    """The seat carries out the actions of a street (C17, C18).

    left: remaining uses of each of the street's two actions.
    duty: True for the placed disc until one of its actions is carried out (C15).
    """

    tag: ClassVar[Literal["activation"]] = "activation"
    seat: int
    street: Street
    left: list[int]
    duty: bool

    def copy(self) -> "Activation":
        """Return an independent copy."""
        return Activation(self.seat, self.street, self.left[:], self.duty)


@dataclass(frozen=True, slots=True)
class Promotion:
    """The bottom disc of the street leaves for the council (C31). seat: the active player."""

    tag: ClassVar[Literal["promotion"]] = "promotion"
    seat: int
    street: Street


@dataclass(frozen=True, slots=True)
class Exchange:
    """The active player gives a disc from a street for the white one that left its stack (C33)."""

    tag: ClassVar[Literal["exchange"]] = "exchange"
    seat: int
    street: Street


@dataclass(frozen=True, slots=True)
class Scoring:
    """The house settles the next tile (C38)."""

    tag: ClassVar[Literal["scoring"]] = "scoring"


@dataclass(frozen=True, slots=True)
class FinalScoring:
    """The house settles the remaining tiles and the final cards, one at a time (C39, C41)."""

    tag: ClassVar[Literal["final_scoring"]] = "final_scoring"


Item = (
    Opening | Keeping | Drafting | Turn | Activation | Promotion | Exchange | Scoring | FinalScoring
)
