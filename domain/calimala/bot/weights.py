"""The numbers of the valuation: set by hand, and tuned by play.

Both sets are written as steps: the worth of the first ship, the addition by the second one, and so
on. So every number is above 0, and tuning can change each by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Self

from domain.kit import read_table

Steps = Mapping[str, Sequence[float]]
"""The numbers by name. A single number is a sequence of one."""


@dataclass(frozen=True, slots=True)
class Fading:
    """The decline of a seat's belongings as its discs run out.

    goods_at_the_end: the share of their worth that goods and cards have when no disc is left.
    goods_with_time: the addition to that share when all discs are left.
    engines, discs, whites: powers of the share of discs left, 1 for an even decline.
    """

    goods_at_the_end: float
    goods_with_time: float
    engines: float
    discs: float
    whites: float


@dataclass(frozen=True, slots=True)
class Losing:
    """The ease of losing a lead, in cubes.

    least_spread: spread of a scoring that comes at once. spread_a_tile: addition for each tile
    before a scoring.
    spread_at_the_end: addition for the final cards, when all discs are left.
    tie: the cubes that a won tie adds to a lead, and a lost one takes off.
    """

    least_spread: float
    spread_a_tile: float
    spread_at_the_end: float
    tie: float


@dataclass(frozen=True, slots=True)
class Weights:
    """The numbers as they are used, in points unless noted.

    ships, houses, workshops: worth of 0, 1, 2, ... of these when all discs are left.
    goods: worth of 0, 1, 2, ... cubes of wood, of brick, of marble.
    cloth, card, white, seat: worth of one of these.
    actions: by Action, worth of one more use by a disc.
    depths: likely number of further activations of a disc on top, and of one right below it.
    next_to_rise: addition to that number for the bottom disc of a full stack.
    others: weight of the others' positions against the own one.
    fading, losing: decline of worth as discs run out, and ease of losing a lead.
    hurry: a card is kept unless it brings so much more than its worth.
    town_hall: additional worth of an artwork at Palazzo Vecchio, since it breaks ties.
    repeated: gain of the next cube in the same place, as a share of the gain of the one before.
    """

    ships: tuple[float, ...]
    houses: tuple[float, ...]
    workshops: tuple[float, ...]
    goods: tuple[tuple[float, ...], ...]
    cloth: float
    card: float
    white: float
    seat: float
    actions: tuple[float, ...]
    depths: tuple[float, ...]
    next_to_rise: float
    others: float
    fading: Fading
    losing: Losing
    hurry: float
    town_hall: float
    repeated: float

    @classmethod
    def of(cls, steps: Steps) -> Self:
        """Return the weights as sums of steps."""
        alone = {name: numbers[0] for name, numbers in steps.items()}
        return cls(
            ships=_summed(steps["ships"]),
            houses=_summed(steps["houses"]),
            workshops=(0.0, *_summed(steps["workshops"])),  # everybody begins with one
            goods=(_summed(steps["wood"]), _summed(steps["brick"]), _summed(steps["marble"])),
            cloth=alone["cloth"],
            card=alone["card"],
            white=alone["white"],
            seat=alone["seat"],
            actions=tuple(steps["actions"]),
            depths=tuple(steps["depths"]),
            next_to_rise=alone["next to rise"],
            others=alone["others"],
            fading=Fading(
                goods_at_the_end=alone["goods at the end"],
                goods_with_time=alone["goods with time"],
                engines=alone["engines' fading"],
                discs=alone["discs' fading"],
                whites=alone["whites' fading"],
            ),
            losing=Losing(
                least_spread=alone["least spread"],
                spread_a_tile=alone["spread a tile"],
                spread_at_the_end=alone["spread at the end"],
                tie=alone["tie"],
            ),
            hurry=alone["hurry"],
            town_hall=alone["town hall"],
            repeated=alone["repeated"],
        )


def _summed(steps: Sequence[float]) -> tuple[float, ...]:
    """Return the worth of 0, 1, 2, ... of something, from its steps."""
    return tuple(accumulate(steps, initial=0.0))


STEPS_BY_HAND: Steps = {
    "ships": (2.2, 1.4, 0.8),
    "houses": (1.6, 1.2, 0.8),
    "workshops": (1.8, 1.2),
    "wood": (0.5, 0.45, 0.2, 0.1),
    "brick": (0.5, 0.45, 0.2, 0.1),
    "marble": (0.6, 0.5, 0.3, 0.2),
    "cloth": (0.3,),
    "card": (0.45,),
    "white": (0.5,),
    "seat": (0.35,),
    "actions": (0.225,) * 9,
    "depths": (2.0, 1.0),
    "next to rise": (0.5,),
    "others": (0.5,),
    "goods at the end": (0.1,),
    "goods with time": (2.5,),
    "engines' fading": (1.0,),
    "discs' fading": (1.0,),
    "whites' fading": (1.0,),
    "least spread": (0.35,),
    "spread a tile": (0.12,),
    "spread at the end": (1.6,),
    "tie": (0.4,),
    "hurry": (0.25,),
    "town hall": (0.3,),
    "repeated": (0.8,),
}
"""Guesses, the same for all numbers of seats."""


def _read_steps() -> Steps:
    """Return the numbers tuned by play (docs/explanation/bots.md)."""
    steps: Steps = read_table(__package__, "weights.json")
    return steps


BY_HAND = Weights.of(STEPS_BY_HAND)
TUNED = Weights.of(_read_steps())
