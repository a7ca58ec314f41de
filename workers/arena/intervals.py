"""Shares with their intervals, after Wilson (1927).

E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
American Statistical Association 22 (1927), 209-212.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z_95 = 1.959963984540054  # 95 % of a normal distribution lie within so many deviations


@dataclass(frozen=True, slots=True)
class Share:
    """A share that was seen in some matches, with its 95 % interval.

    value, low, high: 0 to 1.   matches: how many there were; with none, everything is possible.
    """

    value: float
    low: float
    high: float
    matches: int


def wilson(value: float, trials: int, z: float = Z_95) -> tuple[float, float]:
    """Return Wilson's score interval of a share that was seen in so many trials.

    value: the share, 0 to 1; it need not be a whole number of trials.   z: how many standard
    deviations wide the interval is to either side. Without trials it is (0, 1).
    """
    if trials == 0:
        return 0.0, 1.0

    spread = z * z / trials
    centre = value + spread / 2
    half_width = z * math.sqrt((value * (1 - value) + spread / 4) / trials)
    low = (centre - half_width) / (1 + spread)
    high = (centre + half_width) / (1 + spread)
    return max(0.0, min(low, value)), min(1.0, max(high, value))


def mean_share(shares: Sequence[float]) -> Share:
    """Return the mean of what each match counts, 0 to 1, with its interval over the matches.

    A match may count a part, such as 0.5 for a tie. The interval is on the safe side then: no
    values from 0 to 1 vary more than the toss of a coin with the same mean, for which it is made.
    """
    if not shares:
        return Share(0.5, 0.0, 1.0, 0)

    value = min(1.0, math.fsum(shares) / len(shares))
    low, high = wilson(value, len(shares))
    return Share(value, low, high, len(shares))
