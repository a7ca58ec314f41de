"""Bots as the service sees them: the turn they are given, their evaluation of it, their levels."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

from domain.chance import Chance, FastChance
from domain.game import AnyGame
from domain.wire import Message
from service.base.errors import Mistake
from service.record.replay import Loaded


class EvaluatedMove(Protocol):
    """A move that was evaluated, and how likely its seat wins after it, 0 to 1."""

    @property
    def move(self) -> Message:
        """The move."""
        ...

    @property
    def win_chance(self) -> float:
        """How likely its seat wins after it, as the bot estimates."""
        ...


class Evaluation(Protocol):
    """What a bot makes of a turn (`workers.bots.players` makes it)."""

    @property
    def move(self) -> Message:
        """The move to play."""
        ...

    @property
    def best(self) -> Sequence[EvaluatedMove]:
        """The best moves that were evaluated, the one to play first; () where none were."""
        ...

    @property
    def iterations(self) -> int:
        """How often the bot has played on in its head."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """What a bot is to think about: a seat's next move.

    imagined: a state in which all that the seat cannot see is drawn anew; the bot may change it.
    seconds: how long it may take at most; inf: as long as the level takes.
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
    """Return the 32-byte seed of the chance by which a seat's hidden cards are imagined.

    It is HMAC-SHA-256 over "PURPOSE|VERSION|SEAT", keyed with the match's key. No draw and no salt
    of the match is made of such a text, so nothing that a bot does by chance gives them away.

    purpose: "bot" for a bot's move, "advice" for what a human is advised.
    """
    text = f"{purpose}|{version}|{seat}"
    return hmac.digest(key, text.encode(), "sha256")


# The levels of bots that a match may have. `workers.bots` has a player for each of them.


LEVELS: Mapping[str, str] = {
    "random": "Plays any legal move, without a thought.",
    "greedy": "Takes the move that looks best at once, and plans nothing.",
    "quick": "Plays moves out in its head, for about 0.1 seconds a move.",
    "strong": "Plays moves out in its head, for about a second a move.",
}
"""Every level with a sentence that a player understands, the weakest first."""

NAMES = tuple(LEVELS)
SEARCHING = ("quick", "strong")  # these need a game's search hooks
DEFAULT = "greedy"  # of a bot for which nobody has named a level
STRONG = "strong"  # the level that advises humans


def offered(game: AnyGame) -> Mapping[str, str]:
    """Return the levels that a game has, with their sentences, the weakest first.

    Only a game that says how it is thought ahead has those that search.
    """
    if game.search_hooks is not None:
        return LEVELS
    return {level: about for level, about in LEVELS.items() if level not in SEARCHING}


def missing(game: AnyGame, wanted: Mapping[str, str]) -> list[Mistake]:
    """Return what is wrong with each level that a game does not have.

    wanted: levels by the JSON pointers to what asks for them.
    """
    has = offered(game)
    known = ", ".join(has)
    return [
        Mistake(pointer, f"{game.title} has no bots of the level {level}; its levels are {known}")
        for pointer, level in wanted.items()
        if level not in has
    ]
