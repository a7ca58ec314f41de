"""The levels of bots that a match may have, and what players are told of each.

`workers.bots` has a player for each of them.
"""

from collections.abc import Mapping

LEVELS: Mapping[str, str] = {
    "random": "Plays any legal move, without a thought.",
    "greedy": "Takes the move that looks best at once, and plans nothing.",
    "quick": "Plays moves out in its head, for about 0.1 seconds a move.",
    "strong": "Plays moves out in its head, for about a second a move.",
}
"""Every level with a sentence that a player understands, the weakest first."""

NAMES = tuple(LEVELS)
DEFAULT = "greedy"  # of a bot for which nobody has named a level
STRONG = "strong"  # which thinks up advice for humans
