"""How long a level thinks about its moves, kept small: counts of decisions by their length."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

_SHORTEST = 1e-6  # seconds; the first bucket holds everything up to it
_RATIO = 1.05  # from the end of one bucket to the end of the next


@dataclass(slots=True)
class ThinkingTime:
    """What a level needed for the decisions in which it had a choice.

    decisions: how many.   processor: seconds of processor time together.   iterations: of its
    searches together.   longest: seconds of the longest decision.   counts: how many decisions
    were how long, by the number of the bucket. A bucket reaches 5 % further than the one before.
    """

    decisions: int = 0
    processor: float = 0.0
    iterations: int = 0
    longest: float = 0.0
    counts: dict[int, int] = field(default_factory=dict)

    def add(self, seconds: float, processor: float, iterations: int) -> None:
        """Count one decision."""
        bucket = _bucket(seconds)
        self.decisions += 1
        self.processor += processor
        self.iterations += iterations
        self.longest = max(self.longest, seconds)
        self.counts[bucket] = self.counts.get(bucket, 0) + 1

    def quantile(self, share: float) -> float:
        """Return the seconds within which a share of the decisions was made, 2.5 % off at most.

        It is 0 if there were none.
        """
        wanted = share * self.decisions
        seen = 0
        for bucket in sorted(self.counts):
            seen += self.counts[bucket]
            if seen >= wanted:
                return min(_middle(bucket), self.longest)
        return 0.0


def together(times: Iterable[ThinkingTime]) -> ThinkingTime:
    """Return what was needed in several matches together."""
    whole = ThinkingTime()
    for one in times:
        whole.decisions += one.decisions
        whole.processor += one.processor
        whole.iterations += one.iterations
        whole.longest = max(whole.longest, one.longest)
        for bucket, count in one.counts.items():
            whole.counts[bucket] = whole.counts.get(bucket, 0) + count
    return whole


def _bucket(seconds: float) -> int:
    if seconds <= _SHORTEST:
        return 0
    return math.ceil(math.log(seconds / _SHORTEST, _RATIO))


def _middle(bucket: int) -> float:
    """Return the seconds in the middle of a bucket, by ratio."""
    return _SHORTEST * math.pow(_RATIO, bucket - 0.5)
