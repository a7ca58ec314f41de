"""The numbers by which the greedy bot weighs: set by hand, and found by play.

Both are written by name, as sequences. All are above 0, so any of them can be made a little larger
or smaller for itself. Shares that are near 1 are written as what is missing to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Self

from domain.firenze.components import BUILDINGS, HIGHEST, PERSONNEL, Card
from domain.kit import read_table

PACE = 2  # bricks a turn on one tower

Numbers = Mapping[str, Sequence[float]]
"""The numbers by name; those that stand alone are sequences of one."""


@dataclass(frozen=True, slots=True)
class Luck:
    """How likely a turn brings a brick of a colour, 0 to 1.

    least: in any case. a_brick: more for each on the best of the cheap slots.
    pouch: more if all that is left in the pouch were of this colour. most: never more than this.
    """

    least: float
    a_brick: float
    pouch: float
    most: float


@dataclass(frozen=True, slots=True)
class Gains:
    """What it must bring, at least, to play a card or to exchange bricks."""

    princess: float
    mason: float
    patrician: float
    swap: float
    exchange: float


@dataclass(frozen=True, slots=True)
class Weights:
    """The numbers as they are used.

    brick: any brick in the storehouse.
    level: a level of a tower, where events threaten it.
    seals: a seal placed, beside its points, since the end comes nearer; by the unused seals that
    the seat had before it, up to the last of these.
    majority: the share of the bonus, for a seal on a colour where the seat is not far behind.
    far_behind: the share of that which is left where it is.
    architect: what spending the Architect costs.
    bell: the bell tower, which frees all other commissions.
    campanile: what being held up by it costs.
    delivering: what it counts to deliver now.
    waiting: by bricks that are still needed, the share of a value that is left after the turns
    which laying them takes.
    faith: the share of a tower's promise that is left until it is kept.
    hoard: the share of it that is left while no brick is laid.
    luck: how likely a turn brings the brick that is missing.
    cards: what Personnel and Buildings are worth.
    expected_small: commissions of Recognition that are still to come, at the beginning.
    gains: what it must bring to play a card.
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
        """Return the weights that are made of numbers."""
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
"""Round guesses, one number for all numbers of seats."""


def _read_numbers() -> Numbers:
    """Return the numbers that were found by playing (docs/bots.md says how)."""
    numbers: Numbers = read_table(__package__, "weights.json")
    return numbers


BY_HAND = Weights.of(NUMBERS_BY_HAND)
TUNED = Weights.of(_read_numbers())
