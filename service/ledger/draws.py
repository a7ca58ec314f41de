"""What follows from a match and a version: the next commit's draws, the public view's digest."""

from domain.chance import Draws, draw_seed
from domain.games import RULES
from domain.match.state import Match
from service.ledger.canonical import digest


def draws(match: Match, version: int) -> Draws:
    """Return the draws of the commit that makes `version` (M10).

    Raises RuleBroken if the secret is not known.
    """
    entropy = [seat.entropy for seat in match.seats]
    return Draws(draw_seed(match.key, entropy, version))


def view_digest(match: Match) -> str:
    """Return the digest of what the public sees of the game, "" before the start."""
    if match.state is None:
        return ""
    return digest(RULES[match.rules].view(match.state, None))
