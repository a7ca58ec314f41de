"""The levels that meet in the arena, and their pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from domain.game import Game
from service.matches.levels import offered
from workers.arena.errors import BadWish
from workers.bots import LEVELS
from workers.bots.thinking import Budget

MOST_ITERATIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class Level:
    """A level of bots, and how many iterations it may think about a move.

    iterations: None for as long as the level does everywhere else.
    """

    name: str
    iterations: int | None = None

    def __str__(self) -> str:
        """Return the level as it is written on the command line, such as "quick:200"."""
        return self.name if self.iterations is None else f"{self.name}:{self.iterations}"

    @property
    def folder(self) -> str:
        """The level as a part of a file's name, such as "quick_200"."""
        return str(self).replace(":", "_")

    @property
    def budget(self) -> Budget:
        """How long a bot of this level may think."""
        _player, usual_budget = LEVELS[self.name]
        if self.iterations is None:
            return usual_budget
        return replace(usual_budget, seconds=None, iterations=self.iterations)


Pair = tuple[Level, Level]
"""Two levels; the one that is expected to be weaker comes first."""


def parse_level(text: str) -> Level:
    """Return the level that a text such as "greedy" or "quick:200" names; raises BadWish."""
    name, colon, number = text.strip().partition(":")
    if name not in LEVELS:
        raise BadWish(f"there is no level {name!r}; the levels are {', '.join(LEVELS)}")
    if not colon:
        return Level(name)

    if not _searches(name):
        searching = ", ".join(f"{one}:200" for one in LEVELS if _searches(one))
        raise BadWish(f"{name} does not search, so it has no iterations; right are {searching}")
    if not _is_allowed_number(number):
        raise BadWish(
            f"{text!r} must have 1 to {MOST_ITERATIONS} iterations after the colon, as {name}:200"
        )
    return Level(name, int(number))


def parse_levels(text: str) -> list[Level]:
    """Return the levels of a list with commas, none of them twice; raises BadWish."""
    levels = [parse_level(part) for part in text.split(",")]
    for level in levels:
        if levels.count(level) > 1:
            raise BadWish(f"the level {level} is named twice in {text!r}")
    return levels


def parse_pair(text: str) -> Pair:
    """Return the pair that a text such as "strong,greedy" names; raises BadWish."""
    levels = parse_levels(text)
    if len(levels) != 2:
        raise BadWish(f"{text!r} is no pair: name two levels, such as strong,greedy")
    return pair_of(*levels)


def pairs_among(levels: Sequence[Level]) -> list[Pair]:
    """Return every pair of the levels; raises BadWish if there is none."""
    if len(levels) < 2:
        raise BadWish("the arena needs two levels at least, such as random,greedy")
    in_order = sorted(levels, key=strength)
    return list(combinations(in_order, 2))


def pair_of(one: Level, other: Level) -> Pair:
    """Return two levels as a pair, in whatever order they are named."""
    weaker, stronger = sorted((one, other), key=strength)
    return weaker, stronger


def strength(level: Level) -> tuple[int, int]:
    """Return what levels are ordered by, from the one that is expected to be weakest."""
    place = list(LEVELS).index(level.name) if level.name in LEVELS else len(LEVELS)
    return place, level.iterations or MOST_ITERATIONS + 1


def are_offered(game: Game[Any], pair: Pair) -> bool:
    """Return whether a game has bots of both levels."""
    has = offered(game)
    return all(level.name in has for level in pair)


def demand_offered(game: Game[Any], pairs: Sequence[Pair]) -> None:
    """Demand that a game has bots of all these levels; raises BadWish."""
    for pair in pairs:
        if not are_offered(game, pair):
            weaker, stronger = pair
            raise BadWish(
                f"{game.title} cannot play {weaker},{stronger}: it has bots of the levels "
                f"{', '.join(offered(game))}"
            )


def _is_allowed_number(text: str) -> bool:
    """Return whether a text is a number of iterations, written in few digits."""
    is_plain = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_ITERATIONS))
    return is_plain and 1 <= int(text) <= MOST_ITERATIONS


def _searches(name: str) -> bool:
    """Return whether a level thinks for a time, or answers at once."""
    _player, usual_budget = LEVELS[name]
    return usual_budget.seconds != 0
