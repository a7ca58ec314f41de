"""The ranks at the end of a match, and who comes first."""

from collections.abc import Sequence
from typing import Any


def competition_ranks(scores: Sequence[Any]) -> tuple[int, ...]:
    """Return the rank of each seat from the scores by seat: 1 is best, equal scores share a rank.

    After a shared rank the next ones are left out: scores 7, 9, 9, 3 give the ranks 3, 1, 1, 4.
    A score may be anything that can be compared, such as (points, what breaks a tie).
    """
    return tuple(1 + _better(scores, score) for score in scores)


def winners(ranks: Sequence[int], names: Sequence[str]) -> list[str]:
    """Return the names of those who come first; both are by seat."""
    return [name for name, rank in zip(names, ranks, strict=True) if rank == 1]


def _better(scores: Sequence[Any], than: Any) -> int:
    return sum(score > than for score in scores)
