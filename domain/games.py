"""The registry: the one place that lists the games."""

from domain import calimala, firenze
from domain.errors import RulesUnknown
from domain.game import AnyGame

# Every version of rules ever released stays here, oldest first: its matches are replayed for ever.
RELEASED: tuple[AnyGame, ...] = (calimala.GAME, firenze.GAME)

# The newest rules of each game by its key, for new matches: a later one replaces an earlier one.
GAMES: dict[str, AnyGame] = {game.key: game for game in RELEASED}


class Rules(dict[str, AnyGame]):
    """Versions of rules by name. A match may have been opened by a release with other versions."""

    def __missing__(self, rules: str) -> AnyGame:
        raise RulesUnknown(rules)


# Every version of rules by its name, for matches that exist.
RULES: dict[str, AnyGame] = Rules({game.rules: game for game in RELEASED})
