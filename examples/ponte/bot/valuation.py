"""What the ends of the rows offer to whoever lays the next stone."""

from collections.abc import Sequence

from examples.ponte.components import HEIGHTS
from examples.ponte.scoring import points_for


def offered(ends: Sequence[int], unseen: Sequence[int]) -> float:
    """Return the points that a random unseen stone brings on the average at the better end (P7).

    ends: the last stone of each row. unseen: how many stones of each height; 0.0 without any.
    """
    count = sum(unseen)
    if not count:
        return 0.0

    total = 0
    for stone, copies in zip(HEIGHTS, unseen, strict=True):
        best = max(points_for(stone, end) for end in ends)
        total += best * copies
    return total / count
