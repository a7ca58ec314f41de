"""The numbers of the valuation: set by hand, and tuned by play.

Both sets are written by name, as sequences. All numbers are above 0, so tuning can change each by
itself. Shares near 1 are written as their distance from 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Self

from domain.firenze.components import BUILDINGS, HIGHEST, PERSONNEL, Card
from domain.kit import read_table

PACE = 2  # bricks a turn on one tower

Numbers = Mapping[str, Sequence[float]]
"""The numbers by name. A single number is a sequence of one."""


@dataclass(frozen=True, slots=True)
class Luck:
    """The chance (0-1) that a turn brings a brick of a colour.

    least: in any case. a_brick: addition for each such brick on the best of the cheap slots.
    pouch: addition, times the share of this colour in the pouch. most: upper limit.
    """

    least: float
    a_brick: float
    pouch: float
    most: float


@dataclass(frozen=True, slots=True)
class Gains:
    """The least gains for playing a card or exchanging bricks."""

    princess: float
    mason: float
    patrician: float
    swap: float
    exchange: float


@dataclass(frozen=True, slots=True)
class Weights:
    """The numbers as they are used, in points unless noted.

    brick: any brick in the storehouse.
    level: a level of a tower threatened by events.
    seals: a placed seal, beside its points, since the end comes nearer. By the number of unused
    seals before it. The last entry counts for all larger numbers.
    majority: a seal on a colour, as a share of the bonus.
    far_behind: factor of that share if the seat is far behind in the colour.
    architect: cost of spending the Architect.
    bell: the bell tower, since it frees all other commissions.
    campanile: cost of having to deliver to the Campanile first.
    delivering: extra worth of a delivery now.
    waiting: by number of bricks still needed, the share of a worth that is left after the turns to
    lay them.
    faith: factor of the expected worth of a tower in later turns.
    hoard: further factor for bricks without a tower.
    luck: chance that a turn brings a missing brick.
    cards: by Personnel and Building.
    expected_small: commissions of 3 or 4 levels still to come, at the beginning.
    gains: the least gains for playing a card or exchanging bricks.
    """

    brick: float
    level: float
    seals: tuple[float, ...]
    majority: float
    far_behind: float
    architect: float
    bell: float
    campanile: float
    delivering: float
    waiting: tuple[float, ...]
    faith: float
    hoard: float
    luck: Luck
    cards: Mapping[Card, float]
    expected_small: float
    gains: Gains

    @classmethod
    def of(cls, numbers: Numbers) -> Self:
        """Return the weights made of numbers."""
        alone = {name: values[0] for name, values in numbers.items()}
        patience = 1 - alone["lost a turn"]
        return cls(
            brick=alone["brick"],
            level=alone["level"],
            seals=tuple(numbers["seals"]),
            majority=alone["majority"],
            far_behind=alone["far behind"],
            architect=alone["architect"],
            bell=alone["bell tower"],
            campanile=alone["campanile"],
            delivering=alone["delivering"],
            waiting=tuple(patience ** ceil(needed / PACE) for needed in range(HIGHEST + 1)),
            faith=1 - alone["doubt of a tower"],
            hoard=1 - alone["doubt of a hoard"],
            luck=Luck(
                least=alone["least luck"],
                a_brick=alone["luck a brick"],
                pouch=alone["luck of the pouch"],
                most=1 - alone["least bad luck"],
            ),
            cards={
                **dict(zip(PERSONNEL, numbers["personnel"], strict=True)),
                **dict(zip(BUILDINGS, numbers["buildings"], strict=True)),
            },
            expected_small=alone["expected small"],
            gains=Gains(
                princess=alone["gain of a princess"],
                mason=alone["gain of a mason"],
                patrician=alone["gain of a patrician"],
                swap=alone["gain of a swap"],
                exchange=alone["gain of an exchange"],
            ),
        )


NUMBERS_BY_HAND: Numbers = {
    "brick": (0.6,),
    "level": (0.9,),
    "seals": (0.4,) * 5,
    "majority": (0.35,),
    "far behind": (0.3,),
    "architect": (1.2,),
    "bell tower": (6.0,),
    "campanile": (1.0,),
    "delivering": (0.6,),
    "lost a turn": (0.15,),
    "doubt of a tower": (0.3,),
    "doubt of a hoard": (0.2,),
    "least luck": (0.3,),
    "luck a brick": (0.15,),
    "luck of the pouch": (1.0,),
    "least bad luck": (0.1,),
    # Alchemist, Architect, Mason, Patrician, Princess, Saboteur, Smuggler, Wholesaler
    "personnel": (0.9, 1.1, 1.0, 0.8, 0.6, 0.8, 0.9, 0.1),
    # Bridge, Warehouse, Workshop
    "buildings": (1.0, 1.5, 3.0),
    "expected small": (1.5,),
    "gain of a princess": (1.0,),
    "gain of a mason": (1.0,),
    "gain of a patrician": (1.0,),
    "gain of a swap": (0.8,),
    "gain of an exchange": (0.3,),
}
"""Guesses, the same for all numbers of seats."""


def _read_numbers() -> Numbers:
    """Return the numbers tuned by play (docs/explanation/bots.md)."""
    numbers: Numbers = read_table(__package__, "weights.json")
    return numbers


BY_HAND = Weights.of(NUMBERS_BY_HAND)
TUNED = Weights.of(_read_numbers())
