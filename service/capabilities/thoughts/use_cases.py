"""Thoughts: the stored evaluations of bots, sealed until the revelation."""

from bisect import bisect_right

from service.matches.access import Access, check_revealed
from service.matches.context import Context
from service.matches.evaluations import version_of


def check_unsealed(access: Access) -> None:
    """Raise Illegal while evaluations are sealed: until the revelation (M9)."""
    check_revealed(
        access,
        "What bots think tells of their cards, so it stays sealed until the match has ended and "
        "the house has revealed its secrets.",
    )


def evaluations(ctx: Context, match_id: str, after: int) -> list[bytes]:
    """Return the stored evaluations of the moves after a version, oldest first."""
    lines = ctx.journal.metadata.thoughts(match_id)
    first = bisect_right(lines, after, key=version_of)
    return lines[first:]
