"""What players and the house may want, as it is spelled on the wire."""

from dataclasses import dataclass
from typing import ClassVar, get_args

from domain.wire import table
from examples.ponte.components import Bank


@dataclass(frozen=True, slots=True)
class Begin:
    """The house lays the first stones and deals the hands (P5)."""

    tag: ClassVar[str] = "begin"


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a stone of one's hand at the end of a row (P6); stone: its height."""

    tag: ClassVar[str] = "lay"
    seat: int
    stone: int
    bank: Bank


Command = Begin | Lay
COMMANDS = table(*get_args(Command))
