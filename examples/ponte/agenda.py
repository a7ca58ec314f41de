"""The agenda: a stack of what is to be settled, the next on top."""

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, slots=True)
class Opening:
    """The house lays the first stones and deals the hands (P5)."""

    tag: ClassVar[Literal["opening"]] = "opening"


@dataclass(frozen=True, slots=True)
class Turn:
    """The seat lays a stone (P6)."""

    tag: ClassVar[Literal["turn"]] = "turn"
    seat: int


Item = Opening | Turn
