"""The levels of bots that a match may have, and what players are told of each.

`workers.bots` has a player for each of them.
"""

from collections.abc import Mapping
from typing import Any

from domain.game import Game
from service.errors import Place

LEVELS: Mapping[str, str] = {
    "random": "Plays any legal move, without a thought.",
    "greedy": "Takes the move that looks best at once, and plans nothing.",
    "quick": "Plays moves out in its head, for about 0.1 seconds a move.",
    "strong": "Plays moves out in its head, for about a second a move.",
}
"""Every level with a sentence that a player understands, the weakest first."""

NAMES = tuple(LEVELS)
SEARCHING = ("quick", "strong")  # these need a game's foresight
DEFAULT = "greedy"  # of a bot for which nobody has named a level
STRONG = "strong"  # which thinks up advice for humans


def offered(game: Game[Any]) -> Mapping[str, str]:
    """Return the levels that a game has, with their sentences, the weakest first.

    Only a game that says how it is thought ahead has those that search.
    """
    if game.foresight is not None:
        return LEVELS
    return {level: about for level, about in LEVELS.items() if level not in SEARCHING}


def missing(game: Game[Any], wanted: Mapping[str, str]) -> list[Place]:
    """Return what is wrong with each level that a game does not have.

    wanted: levels by the JSON pointers to what asks for them.
    """
    has = offered(game)
    known = ", ".join(has)
    return [
        Place(pointer, f"{game.title} has no bots of the level {level}; its levels are {known}")
        for pointer, level in wanted.items()
        if level not in has
    ]
