"""What is tuned of each game: the numbers by which its greedy bot weighs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import domain.calimala.bot as calimala_bot
import domain.firenze.bot as firenze_bot
from domain import calimala, firenze
from domain.calimala.bot import weights as calimala_weights
from domain.calimala.bot.greedy import advise as advise_in_calimala
from domain.firenze.bot import weights as firenze_weights
from domain.firenze.bot.greedy import advise as advise_in_firenze
from domain.game import Game

Numbers = Mapping[str, Sequence[float]]
"""The numbers by name; those that stand alone are sequences of one."""


@dataclass(frozen=True)
class Subject:
    """A game whose numbers are tuned.

    by_hand: where the tuning begins. weights_of: what the bot takes, made of numbers.
    advise: the greedy move, by state, seat, chance and weights.
    rate: how far a number is moved, as a power of e, for each point that e times as much brings.
    rounds: as many as were played to find them. path: of the numbers found.
    """

    game: Game[Any]
    by_hand: Numbers
    weights_of: Callable[[Numbers], Any]
    advise: Callable[..., Any]
    rate: float
    rounds: int
    path: Path

    @cached_property
    def places(self) -> list[tuple[str, int]]:
        """Every number by its name and its place there."""
        return [(name, place) for name, row in self.by_hand.items() for place in range(len(row))]


SUBJECTS = {
    "calimala": Subject(
        game=calimala.GAME,
        by_hand=calimala_weights.STEPS_BY_HAND,
        weights_of=calimala_weights.Weights.of,
        advise=advise_in_calimala,
        rate=0.4,
        rounds=10,
        path=Path(calimala_bot.__path__[0]) / "weights.json",
    ),
    "firenze": Subject(
        game=firenze.GAME,
        by_hand=firenze_weights.NUMBERS_BY_HAND,
        weights_of=firenze_weights.Weights.of,
        advise=advise_in_firenze,
        rate=0.04,  # points are easier to come by here, and the numbers matter more
        rounds=20,
        path=Path(firenze_bot.__path__[0]) / "weights.json",
    ),
}
