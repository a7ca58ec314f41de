"""What event cards do."""

from dataclasses import dataclass
from typing import ClassVar

from domain.firenze.agenda import Step
from domain.firenze.cards import Card
from domain.firenze.components import Bricks, Colour
from domain.firenze.state import Due


@dataclass(frozen=True, slots=True)
class PlayerAsked:
    """The event waits for its taker: to answer it (F31) or to say what is lost (F32)."""

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
    """An event takes this from each seat that it touches (F33)."""

    tag: ClassVar[str] = "dues_laid"
    card: Card
    dues: tuple[Due, ...]


@dataclass(frozen=True, slots=True)
class DuePaid:
    """A seat handed over what an event takes (F34)."""

    tag: ClassVar[str] = "due_paid"
    seat: int
    bricks: Bricks
