"""The registry of the games."""

from domain import calimala, firenze
from domain.errors import RulesUnknown
from domain.game import AnyGame

# All released versions of rules, oldest first. None is ever removed: old matches are replayed too.
RELEASED: tuple[AnyGame, ...] = (calimala.GAME, firenze.GAME)

# The newest rules of each game by its key, for new matches. A later entry of RELEASED counts.
GAMES: dict[str, AnyGame] = {game.key: game for game in RELEASED}


class Rules(dict[str, AnyGame]):
    """Versions of rules by name. Raises RulesUnknown for a name that this release does not have."""

    def __missing__(self, rules: str) -> AnyGame:
        raise RulesUnknown(rules)


# All versions of rules by name, for existing matches.
RULES: dict[str, AnyGame] = Rules({game.rules: game for game in RELEASED})
