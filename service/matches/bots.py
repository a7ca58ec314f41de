"""Bots in the service: their turns, their evaluations and their levels.

    turn_of             a seat's turn in a match, with the hidden cards imagined
    Choose              a player of `workers.bots` evaluates the turn, and chooses a move
    stored_evaluation   the evaluation as bytes, appended with the move beside the commits

`automation.play_bots` takes these steps for a bot. Advice for humans takes the first two, with a
seed of its own (`thinking_seed`).

Any number of workers may think about one turn at once. The journal accepts one of the moves, and
stores its evaluation if the match has room. The other moves lose the race, and their
evaluations are stored nowhere.

A crash: a worker dies while it thinks. Nothing was stored, so `automation.sweep` enqueues the match
again, and the next worker thinks from the beginning. `thinking_seed` gives that worker the same
imagined cards, if the version is still the same.
"""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

import orjson

from domain.chance import Chance, FastChance
from domain.game import AnyGame
from domain.wire import Message
from service.base import answers
from service.base.errors import Mistake
from service.matches.moves import posted
from service.record.replay import Loaded


class EvaluatedMove(Protocol):
    """A move, and the estimated chance of its seat to win after the move, 0 to 1."""

    @property
    def move(self) -> Message:
        """The move."""
        ...

    @property
    def win_chance(self) -> float:
        """The bot's estimate of the chance of the seat to win after the move."""
        ...


class Evaluation(Protocol):
    """A bot's evaluation of a turn (`workers.bots.players` makes it)."""

    @property
    def move(self) -> Message:
        """The move to play."""
        ...

    @property
    def best(self) -> Sequence[EvaluatedMove]:
        """The best moves, with the move to play first. () if fewer than two were compared."""
        ...

    @property
    def iterations(self) -> int:
        """Number of rollouts of the bot's search."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """A seat's next move, for a bot to choose.

    imagined: a state with everything hidden from the seat drawn again. The bot may change it.
    seconds: limit of the bot's thinking. inf: as long as the level takes.
    """

    level: str
    game: AnyGame
    imagined: Any
    seat: int
    chance: Chance
    seconds: float = inf


Choose = Callable[[Turn], Evaluation]


def turn_of(
    loaded: Loaded, seat: int, level: str, purpose: str = "bot", seconds: float = inf
) -> Turn:
    """Return the turn of a seat that must act, as its holder may see the match.

    purpose: as for `thinking_seed`.
    """
    match = loaded.match
    chance = FastChance(thinking_seed(match.key, purpose, loaded.version, seat))
    return Turn(
        level=level,
        game=match.game,
        imagined=match.game.imagine(match.state, seat, chance),
        seat=seat,
        chance=chance,
        seconds=seconds,
    )


def thinking_seed(key: bytes, purpose: str, version: int, seat: int) -> bytes:
    """Return the 32-byte seed of the chance behind a seat's turn.

    The seed is HMAC-SHA-256 over "PURPOSE|VERSION|SEAT", keyed with the match's key. The texts for
    draws and salts begin with other words, so a bot's use of chance gives no draw or salt away.

    purpose: "bot" for a bot's move, "advice" for advice to a human.
    """
    text = f"{purpose}|{version}|{seat}"
    return hmac.digest(key, text.encode(), "sha256")


_MOST_EVALUATION_BYTES = 4096  # of one evaluation. A longer one is stored with fewer moves
_CHANCE_DIGITS = 3  # of a chance of winning, after the point


def stored_evaluation(evaluation: Evaluation, seat: int, level: str, version: int) -> bytes:
    """Return a bot's evaluation as the journal stores it, b"" if it has no moves.

    A long evaluation loses its last moves. version: of the match after the move.
    """
    best = candidates(evaluation.best)
    while best:
        fields = {
            "version": version,
            "seat": seat,
            "level": level,
            "iterations": evaluation.iterations,
            "best": best,
        }
        line = orjson.dumps(fields)
        if len(line) <= _MOST_EVALUATION_BYTES:
            return line
        best.pop()
    return b""


def candidates(best: Sequence[EvaluatedMove]) -> list[answers.Candidate]:
    """Return evaluated moves in their posted form, each with its chance of winning."""
    return [
        {"move": posted(one.move), "win_chance": round(one.win_chance, _CHANCE_DIGITS)}
        for one in best
    ]


def version_of_evaluation(line: bytes) -> int:
    """Return the version of a stored evaluation. Raises ValueError, KeyError, TypeError."""
    version: int = orjson.loads(line)["version"]
    return version


# Every level with a sentence for players, the weakest first. `workers.bots` has a player for each.
LEVELS: Mapping[str, str] = {
    "random": "Plays any legal move, without a thought.",
    "greedy": "Plays the move that looks best at once, and plans nothing.",
    "quick": "Plays moves out in its head, for about 0.1 seconds a move.",
    "strong": "Plays moves out in its head, for about a second a move.",
}

NAMES = tuple(LEVELS)
SEARCHING = ("quick", "strong")  # these need a game's search hooks
DEFAULT = "greedy"  # of a bot without a named level
STRONG = "strong"  # the level for advice to humans


def offered(game: AnyGame) -> Mapping[str, str]:
    """Return the levels of a game's bots, with their sentences, the weakest first.

    Only games with search hooks have the levels that search.
    """
    if game.search_hooks is not None:
        return LEVELS
    return {level: about for level, about in LEVELS.items() if level not in SEARCHING}


def missing(game: AnyGame, levels: Mapping[str, str]) -> list[Mistake]:
    """Return a fault for each level missing in a game.

    levels: by JSON pointers into the request.
    """
    has = offered(game)
    choices = ", ".join(has)
    return [
        Mistake(pointer, f"{game.title} has no bots of the level {level}. Its levels: {choices}")
        for pointer, level in levels.items()
        if level not in has
    ]
