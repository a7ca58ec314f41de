"""Thoughts: the stored evaluations of bots, sealed until the revelation."""

from bisect import bisect_right

from service.matches.access import Access, check_revealed
from service.matches.bots import version_of_evaluation
from service.matches.context import Context


def check_unsealed(access: Access) -> None:
    """Raise NotRevealed until the revelation (M9): evaluations tell of the cards of bots."""
    check_revealed(access, "the thoughts of bots are secret until the match is revealed")


def evaluations(ctx: Context, match_id: str, after: int) -> list[bytes]:
    """Return the stored evaluations of the moves after a version, oldest first."""
    lines = ctx.journal.metadata.thoughts(match_id)
    first = bisect_right(lines, after, key=version_of_evaluation)
    return lines[first:]
