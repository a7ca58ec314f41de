"""The matches of an arena: their levels, seats and seeds."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path

from domain.game import AnyGame
from domain.games import GAMES
from service.matches.bots import offered
from workers.bots import LEVELS
from workers.bots.players import Budget

MOST_ITERATIONS = 1_000_000

RECORD_SUFFIX = ".ndjson.zst"


class ArenaError(Exception):
    """The arena cannot carry out the command. The message gives the reason."""


class BadRequest(ArenaError):
    """The command names a wrong level, pair, number of seats or combination of options."""


class OtherArena(ArenaError):
    """The directory's arena has another seed, or another process is at work in it."""


class BadResults(ArenaError):
    """The results in a directory cannot be read."""


class MatchFailed(ArenaError):
    """A match could not be played to its end.

    The message holds the traceback, unless a process was killed.
    """


@dataclass(frozen=True, slots=True)
class Contender:
    """A level of bots, and its number of iterations for a move.

    iterations: None for the usual budget of the level.
    """

    name: str
    iterations: int | None = None

    def __str__(self) -> str:
        """Return the level as on the command line, such as "quick:200"."""
        return self.name if self.iterations is None else f"{self.name}:{self.iterations}"

    @property
    def folder(self) -> str:
        """The level as a part of a file's name, such as "quick_200"."""
        return str(self).replace(":", "_")

    @property
    def budget(self) -> Budget:
        """The budget of a bot of this level for a move."""
        _player, usual_budget = LEVELS[self.name]
        if self.iterations is None:
            return usual_budget
        return replace(usual_budget, seconds=None, iterations=self.iterations)


Pair = tuple[Contender, Contender]
"""Two levels. The level expected to be weaker comes first."""


def parse_level(text: str) -> Contender:
    """Return the level named by a text such as "greedy" or "quick:200". Raises BadRequest."""
    name, colon, number = text.strip().partition(":")
    if name not in LEVELS:
        raise BadRequest(f"there is no level {name!r}. Levels: {', '.join(LEVELS)}")
    if not colon:
        return Contender(name)

    if not _searches(name):
        searching = ", ".join(f"{one}:200" for one in LEVELS if _searches(one))
        raise BadRequest(
            f"{name} does not search, so it has no iterations. Levels with iterations: {searching}"
        )
    if not _is_allowed_number(number):
        raise BadRequest(
            f"{text!r} must have 1 to {MOST_ITERATIONS} iterations after the colon, as {name}:200"
        )
    return Contender(name, int(number))


def parse_levels(text: str) -> list[Contender]:
    """Return the levels of a list with commas. Raises BadRequest, also for a repeated level."""
    levels = [parse_level(part) for part in text.split(",")]
    for level in levels:
        if levels.count(level) > 1:
            raise BadRequest(f"the level {level} is named twice in {text!r}")
    return levels


def parse_pair(text: str) -> Pair:
    """Return the pair named by a text such as "strong,greedy". Raises BadRequest."""
    levels = parse_levels(text)
    if len(levels) != 2:
        raise BadRequest(f"{text!r} is not a pair. Name two levels, such as strong,greedy")
    return pair_of(*levels)


def pairs_among(levels: Sequence[Contender]) -> list[Pair]:
    """Return every pair of the levels. Raises BadRequest if there is none."""
    if len(levels) < 2:
        raise BadRequest("the arena needs two levels at least, such as random,greedy")
    in_order = sorted(levels, key=strength)
    return list(combinations(in_order, 2))


def pair_of(one: Contender, other: Contender) -> Pair:
    """Return two levels as a pair. The order of the arguments does not matter."""
    weaker, stronger = sorted((one, other), key=strength)
    return weaker, stronger


def strength(level: Contender) -> tuple[int, int]:
    """Return the sort key of a level. The level expected to be weakest comes first."""
    place = list(LEVELS).index(level.name) if level.name in LEVELS else len(LEVELS)
    return place, level.iterations or MOST_ITERATIONS + 1


def are_offered(game: AnyGame, pair: Pair) -> bool:
    """Return True if a game has bots of both levels."""
    has = offered(game)
    return all(level.name in has for level in pair)


def demand_offered(game: AnyGame, pairs: Sequence[Pair]) -> None:
    """Raise BadRequest unless a game has bots of all levels in the pairs."""
    for pair in pairs:
        if not are_offered(game, pair):
            weaker, stronger = pair
            raise BadRequest(
                f"{game.title} cannot play {weaker},{stronger}: it has bots of the levels "
                f"{', '.join(offered(game))}"
            )


def _is_allowed_number(text: str) -> bool:
    """Return True for an allowed number of iterations, in plain digits."""
    is_plain = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_ITERATIONS))
    return is_plain and 1 <= int(text) <= MOST_ITERATIONS


def _searches(name: str) -> bool:
    """Return True if a level searches. Other levels have a budget of 0 seconds."""
    _player, usual_budget = LEVELS[name]
    return usual_budget.seconds != 0


# ---- matches -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fixture:
    """A planned match.

    game: key of the game.   seats: number of seats.   pair: the two levels.
    number: place among the matches of the same game, seats and pair, from 1.
    """

    game: str
    seats: int
    pair: Pair
    number: int

    @property
    def odd_level(self) -> Contender:
        """The level with only one seat. By number, it is the weaker level in every other match."""
        weaker, stronger = self.pair
        return weaker if self.number % 2 else stronger

    @property
    def odd_seat(self) -> int:
        """The seat of the odd level. In 2 * `seats` matches each level plays alone at each seat."""
        return (self.number - 1) // 2 % self.seats

    @property
    def levels(self) -> tuple[Contender, ...]:
        """The level of each seat."""
        weaker, stronger = self.pair
        other_level = stronger if self.odd_level == weaker else weaker
        return tuple(
            self.odd_level if seat == self.odd_seat else other_level for seat in range(self.seats)
        )

    @property
    def record(self) -> Path:
        """The path of the match's record within the arena's directory."""
        pair = "-".join(level.folder for level in self.pair)
        return Path(self.game, str(self.seats), pair, f"{self.number:04}{RECORD_SUFFIX}")

    def seed(self, arena_seed: int) -> str:
        """Return the seed of the match in hex. The seed does not depend on other matches.

        The seed is the SHA-256 of a JSON array: arena's seed, game, seats, both levels and number.
        """
        pair = [str(level) for level in self.pair]
        facts = [arena_seed, self.game, self.seats, pair, self.number]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def seats_of(games: Sequence[str], numbers: Sequence[int]) -> dict[str, list[int]]:
    """Return the numbers of seats to play by game: the given numbers, or all if none is given.

    Raises BadRequest for a number outside a game's range.
    """
    chosen = {}
    for key in games:
        game = GAMES[key]
        for seats in numbers:
            if seats not in game.seats:
                allowed = ", ".join(map(str, game.seats))
                raise BadRequest(f"{game.title} does not take {seats} seats. It takes {allowed}")
        chosen[key] = sorted(set(numbers)) or list(game.seats)
    return chosen


def fixtures(
    seats_by_game: dict[str, list[int]], pairs: Iterable[Pair], matches: int
) -> Iterator[Fixture]:
    """Yield all matches: first number 1 of each game, seats and pair, then number 2, and so on.

    So a stopped arena has played about equally many matches of each game, seats and pair. A pair is
    left out for a game without bots of both levels.
    """
    tables = [(game, seats) for game, numbers in seats_by_game.items() for seats in numbers]
    for number, (game, seats), pair in product(range(1, matches + 1), tables, list(pairs)):
        if are_offered(GAMES[game], pair):
            yield Fixture(game, seats, pair, number)
