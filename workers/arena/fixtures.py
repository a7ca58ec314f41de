"""Which matches are played: who sits where, and from which seed everything in the match follows."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from domain.games import GAMES
from workers.arena.errors import BadWish
from workers.arena.levels import Level, Pair, are_offered

RECORD_SUFFIX = ".ndjson.zst"


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match that is to be played.

    game: its key.   seats: how many.   pair: the levels that meet.   number: of the match among
    those of the same game, seats and pair, from 1.
    """

    game: str
    seats: int
    pair: Pair
    number: int

    @property
    def odd_level(self) -> Level:
        """The level that holds one seat alone: the weaker one in every other match."""
        weaker, stronger = self.pair
        return weaker if self.number % 2 else stronger

    @property
    def odd_seat(self) -> int:
        """The seat that is held alone; both levels go through all seats with it."""
        return (self.number - 1) // 2 % self.seats

    @property
    def levels(self) -> tuple[Level, ...]:
        """The level of each seat."""
        weaker, stronger = self.pair
        other_level = stronger if self.odd_level == weaker else weaker
        return tuple(
            self.odd_level if seat == self.odd_seat else other_level for seat in range(self.seats)
        )

    @property
    def record(self) -> Path:
        """Where the match's record lies, from the arena's directory on."""
        pair = "-".join(level.folder for level in self.pair)
        return Path(self.game, str(self.seats), pair, f"{self.number:04}{RECORD_SUFFIX}")

    def seed(self, arena_seed: int) -> str:
        """Return the seed of the match: it depends on this match alone, not on what else is played.

        It is the SHA-256 of a JSON array: the arena's seed, game, seats, both levels and number.
        """
        pair = [str(level) for level in self.pair]
        facts = [arena_seed, self.game, self.seats, pair, self.number]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def seats_of(games: Sequence[str], wanted: Sequence[int]) -> dict[str, list[int]]:
    """Return for each game the numbers of seats that are played: the wanted ones, else all.

    Raises BadWish for a number that a game does not take.
    """
    chosen = {}
    for key in games:
        game = GAMES[key]
        for seats in wanted:
            if seats not in game.seats:
                allowed = ", ".join(map(str, game.seats))
                raise BadWish(f"{game.title} does not take {seats} seats; it takes {allowed}")
        chosen[key] = sorted(set(wanted)) or list(game.seats)
    return chosen


def fixtures(
    seats_by_game: dict[str, list[int]], pairs: Iterable[Pair], matches: int
) -> Iterator[Fixture]:
    """Yield all matches: the first of each game, seats and pair, then the second of each.

    So an arena that is stopped has played about as many matches of each. A game whose bots are not
    of these levels is left out of a pair.
    """
    tables = [(game, seats) for game, numbers in seats_by_game.items() for seats in numbers]
    for number, (game, seats), pair in product(range(1, matches + 1), tables, list(pairs)):
        if are_offered(GAMES[game], pair):
            yield Fixture(game, seats, pair, number)
